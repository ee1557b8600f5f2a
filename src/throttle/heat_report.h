// The heat of a table or index, as administrators see it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "throttle/split_point.h"

namespace partita::throttle {

// Per second, over about the last ten seconds.
struct HeatRates {
  double read_units = 0;
  double write_units = 0;
  double refusals = 0;
};

struct HeatRange {
  std::string low;   // the first position
  std::string high;  // the first position behind it; empty: the end
  HeatRates rates;
  double load = 0;       // of the partition's limit; 1 is all of it
  uint64_t refused = 0;  // since the server has opened the table
  std::string hottest;   // the position that took most lately, perhaps only its beginning; empty: not known
  double hottest_share = 0;
  Obstacle obstacle = Obstacle::kNone;
};

struct HeatReport {
  std::vector<HeatRange> ranges;
};

// One word for programs, such as "LocalIndex"; empty for kNone.
std::string_view name_of(Obstacle obstacle);
// A sentence for people; empty for kNone.
std::string_view text_of(Obstacle obstacle);

// The share of all hashes below a position, from 0 to 1, and for an empty one `absent`.
double place_of(std::string_view position, double absent);

// Several lines: one for each range. `key_text` names the key of a position.
std::string describe(const HeatReport& report, std::string_view table,
                     FunctionRef<std::string(std::string_view position)> key_text);

}  // namespace partita::throttle
