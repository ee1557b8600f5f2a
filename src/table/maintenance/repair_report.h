// What repair_store() is told of losses, and what it reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace partita::table {

// Something between these two keys, both excluded, is lost. Empty: from the beginning, up to the end.
struct LostRows {
  std::string after;
  std::string before;
};

struct RepairOptions {
  std::vector<LostRows> rows;
  std::vector<LostRows> entries;    // of logs: topics instead of keys, both included
  std::vector<std::string> unsure;  // keys of rows that were left out, as an older one was all that could be read
  bool lost_changes = false;        // the newest changes are lost, of whatever
  size_t named = 10;                // losses of each table that are told in words
  uint64_t stream_bytes = uint64_t{256} << 20;  // records of a stream that are in memory at once, about
  int64_t now_ms = 0;
};

// One sentence each, for an operator.
struct Repaired {
  std::vector<std::string> losses;
  std::vector<std::string> mended;  // what was put right
};

}  // namespace partita::table
