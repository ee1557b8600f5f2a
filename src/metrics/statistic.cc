#include "metrics/statistic.h"

#include <charconv>

#include "base/check.h"

namespace partita::metrics {

std::optional<Statistic> statistic_named(std::string_view name) {
  using Kind = Statistic::Kind;
  if (name == "SampleCount") return Statistic{Kind::kSamples};
  if (name == "Sum") return Statistic{Kind::kSum};
  if (name == "Average") return Statistic{Kind::kAverage};
  if (name == "Minimum") return Statistic{Kind::kLeast};
  if (name == "Maximum") return Statistic{Kind::kMost};
  if (!name.starts_with('p')) return std::nullopt;
  constexpr double kPercent = 100;
  double percent = -1;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), percent);
  if (error != std::errc() || end != name.data() + name.size() || !(percent >= 0 && percent <= kPercent)) {
    return std::nullopt;
  }
  return Statistic{Kind::kQuantile, percent / kPercent};
}

double value_of(const Statistics& statistics, Statistic statistic) {
  switch (statistic.kind) {
    case Statistic::Kind::kSamples:
      return statistics.samples;
    case Statistic::Kind::kSum:
      return statistics.sum;
    case Statistic::Kind::kAverage:
      return statistics.average();
    case Statistic::Kind::kLeast:
      return statistics.least;
    case Statistic::Kind::kMost:
      return statistics.most;
    case Statistic::Kind::kQuantile:
      return statistics.quantile(statistic.part);
  }
  PARTITA_CHECK(false);
}

std::vector<PeriodStatistics> by_period(std::span<const MinuteStatistics> minutes, int64_t from,
                                        int64_t period_minutes) {
  std::vector<PeriodStatistics> periods;
  for (const auto& [minute, statistics] : minutes) {
    const int64_t begin = minute - (minute - from) % period_minutes;
    const int64_t at_ms = begin * kMsPerMinute;
    if (periods.empty() || periods.back().at_ms != at_ms) periods.push_back({at_ms, {}});
    periods.back().statistics.add(statistics);
  }
  return periods;
}

}  // namespace partita::metrics
