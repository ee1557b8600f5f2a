#include "metrics/known_series.h"

#include <algorithm>

#include "base/bytes.h"

namespace partita::metrics {

namespace {
constexpr uint8_t kKnownFormat = 1;
}  // namespace

Result<KnownSeries> KnownSeries::read(std::string_view row) {
  const auto format = take_u8(row);
  if (format && *format > kKnownFormat) {
    return Error(ErrorKind::kInvalid, "a row of metrics is of a newer version of Partita.");
  }
  KnownSeries known;
  bool sound = format.has_value();
  while (sound && !row.empty()) {
    const auto scope = take_u8(row);
    const auto name = take_sized(row);
    const auto metrics = take_varint(row);
    const auto hour = take_varint(row);
    sound = scope && name && metrics && hour;
    if (sound) {
      known.entries_[{static_cast<Scope>(*scope), std::string(*name)}] = {*metrics, static_cast<int64_t>(*hour)};
    }
  }
  if (!sound) return Error(ErrorKind::kCorrupt, "a row of metrics is damaged.");
  return known;
}

std::string KnownSeries::row() const {
  std::string row(1, char{kKnownFormat});
  for (const auto& [part, entry] : entries_) {
    row.push_back(static_cast<char>(part.scope));
    append_sized(row, part.name);
    append_varint(row, entry.metrics);
    append_varint(row, static_cast<uint64_t>(entry.hour));
  }
  return row;
}

bool KnownSeries::note(const SeriesPart& part, Metric metric, int64_t hour) {
  Entry& entry = entries_[part];
  const uint64_t bit = uint64_t{1} << static_cast<uint8_t>(metric);
  if ((entry.metrics & bit) != 0 && entry.hour + kHoursPerDay > hour) return false;
  entry.metrics |= bit;
  entry.hour = std::max(entry.hour, hour);
  return true;
}

void KnownSeries::merge(const KnownSeries& other) {
  for (const auto& [part, entry] : other.entries_) {
    Entry& own = entries_[part];
    own.metrics |= entry.metrics;
    own.hour = std::max(own.hour, entry.hour);
  }
}

void KnownSeries::limit_to(int64_t hour) {
  for (auto& [part, entry] : entries_) entry.hour = std::min(entry.hour, hour);
}

void KnownSeries::forget_before(int64_t hour) {
  std::erase_if(entries_, [&](const auto& one) { return one.second.hour < hour; });
}

}  // namespace partita::metrics
