#include "throttle/heat_report.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/quantity.h"
#include "throttle/partition_map.h"

namespace partita::throttle {

std::string_view name_of(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::kNone:
      return "";
    case Obstacle::kTooEarly:
      return "TooEarly";
    case Obstacle::kTooFewSamples:
      return "TooFewSamples";
    case Obstacle::kSingleItem:
      return "SingleItem";
    case Obstacle::kLocalIndex:
      return "LocalIndex";
    case Obstacle::kMovingKeys:
      return "MovingKeys";
    case Obstacle::kFull:
      return "TooManyPartitions";
  }
  return "";
}

std::string_view text_of(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::kNone:
      return "";
    case Obstacle::kTooEarly:
      return "it has refused requests for less than a minute";
    case Obstacle::kTooFewSamples:
      return "too few requests were seen";
    case Obstacle::kSingleItem:
      return "it holds one hot item alone";
    case Obstacle::kLocalIndex:
      return "the table has local indexes, so no item collection is divided";
    case Obstacle::kMovingKeys:
      return "its sort keys keep rising or falling, so the load would move with them";
    case Obstacle::kFull:
      return "the table has as many partitions as Partita keeps apart";
  }
  return "";
}

double place_of(std::string_view position, double absent) {
  constexpr double kHashes = 18446744073709551616.0;  // 2^64
  return position.empty() ? absent : static_cast<double>(hash_of(position)) / kHashes;
}

namespace {

std::string bar_of(double load) {
  constexpr double kWidth = 10;
  return std::string(static_cast<size_t>(std::clamp(load, 0.0, 1.0) * kWidth + 0.5), '#');
}

}  // namespace

std::string describe(const HeatReport& report, std::string_view table,
                     FunctionRef<std::string(std::string_view position)> key_text) {
  std::string out = std::string(table) + ": " + counted(report.ranges.size(), "partition", "partitions") + "\n";
  out += "      hashes in %      reads/s  writes/s   load             refused/s  hottest key\n";
  std::array<char, 128> line{};
  for (const HeatRange& range : report.ranges) {
    std::snprintf(line.data(), line.size(), "%9.4f -%9.4f  %9.1f %9.1f %5.0f%% %-10s %10.1f",
                  100 * place_of(range.low, 0), 100 * place_of(range.high, 1), range.rates.read_units,
                  range.rates.write_units, 100 * range.load, bar_of(range.load).c_str(), range.rates.refusals);
    out += line.data();
    if (!range.hottest.empty()) {
      std::snprintf(line.data(), line.size(), " (%.0f%%)", 100 * range.hottest_share);
      out.append("  ").append(key_text(range.hottest)).append(line.data());
    }
    out += '\n';
    if (range.obstacle != Obstacle::kNone) out.append("    not split: ").append(text_of(range.obstacle)) += '\n';
  }
  return out;
}

}  // namespace partita::throttle
