#include "metrics/history.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <utility>

#include "metrics/chunk.h"
#include "metrics/known_series.h"
#include "storage/ranges.h"

namespace partita::metrics {

namespace {

constexpr int64_t kMinutesOfLevel = 5;
constexpr size_t kPageOfChunks = 500;
constexpr size_t kPageOfChunksBytes = size_t{8} << 20;

struct NamedChunk {
  ChunkName name;
  Chunk chunk;
};

struct Wanted {
  SeriesPart part;
  Metric metric{};
};

// Frees the other values: a row in memory takes many times its stored size.
void keep_only(const std::optional<Wanted>& wanted, Chunk& chunk) {
  for (Chunk::Minute& one : chunk.minutes) {
    std::vector<Chunk::Value> kept;
    for (const Chunk::Value& value : one.values) {
      if (wanted && value.metric == wanted->metric && chunk.series[value.series].part == wanted->part) {
        kept.push_back(value);
      }
    }
    one.values = std::move(kept);
  }
}

// Without `wanted` the minutes have no values.
Task<Result<std::vector<NamedChunk>>> read_chunks(storage::Engine& engine, std::string table, int64_t from, int64_t to,
                                                  std::optional<Wanted> wanted) {
  std::vector<NamedChunk> all;
  storage::Range range = chunks_of(table, from / kMinutesPerHour, (to - 1) / kMinutesPerHour + 1);
  if (from >= to || storage::is_empty(range)) co_return all;
  for (bool more = true; more;) {
    auto scanned = co_await engine.scan(range, storage::Direction::kAscending, kPageOfChunks, kPageOfChunksBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    for (size_t i = 0; i < page.size(); ++i) {
      auto name = chunk_name_of(page[i].key);
      auto chunk = read_chunk(page[i].value);
      if (!chunk.ok() && chunk.error().kind() == ErrorKind::kInvalid) continue;
      PARTITA_CO_TRY(Chunk read, std::move(chunk));
      keep_only(wanted, read);
      if (name) all.push_back({std::move(*name), std::move(read)});
    }
    more = storage::advance(range, page);
  }
  co_return all;
}

using Minutes = std::map<int64_t, Statistics>;

// The minutes of each hour in which a server ran, as the rows of the account say.
using Covered = std::map<int64_t, std::set<int64_t>>;
Covered covered(const std::vector<NamedChunk>& account) {
  Covered minutes;
  for (const auto& [name, chunk] : account) {
    for (const Chunk::Minute& one : chunk.minutes) {
      minutes[name.hour].insert(name.hour * kMinutesPerHour + one.minute);
    }
  }
  return minutes;
}

// Adds the values of one row to `minutes`.
class ChunkUse {
 public:
  ChunkUse(const NamedChunk& of, const SeriesPart& part, Metric metric, Minutes& minutes)
      : of_(of), metric_(metric), minutes_(minutes) {
    const auto& series = of.chunk.series;
    const auto found = std::ranges::find(series, part, &Chunk::Begun::part);
    if (found == series.end()) return;
    id_ = static_cast<size_t>(found - series.begin());
    begun_ = minute_of(found->minute);
    if (of.chunk.ended) ended_ = minute_of(*of.chunk.ended);
  }

  void add_values() {
    for_each([&](int64_t minute, const RawValue& raw) { minutes_[minute].add(statistics_of(metric_, raw)); });
  }
  void add_zeros(const std::set<int64_t>& covered) {
    for (const int64_t minute : covered) {
      if (minute < begun_ || minute >= ended_) continue;
      // An idle minute is one sample of zero.
      const auto [at, added] = minutes_.try_emplace(minute);
      if (added) at->second.samples = 1;
    }
  }
  // A level holds until the next one. Several servers say the same.
  void add_levels(const std::set<int64_t>& covered) {
    std::map<int64_t, RawValue> changes;
    for_each([&](int64_t minute, const RawValue& raw) { changes[minute] = raw; });
    for (const int64_t minute : covered) {
      const auto next = changes.upper_bound(minute);
      if (minute % kMinutesOfLevel != 0 || next == changes.begin() || minute >= ended_) continue;
      const RawValue& level = std::prev(next)->second;
      if (level.sum != 0) minutes_[minute] = statistics_of(metric_, level);  // 0: it has ended
    }
  }

 private:
  int64_t minute_of(uint8_t within) const { return of_.name.hour * kMinutesPerHour + within; }
  template <class Use>
  void for_each(Use use) const {
    for (const Chunk::Minute& one : of_.chunk.minutes) {
      for (const Chunk::Value& value : one.values) {
        if (value.series == id_ && value.metric == metric_) use(minute_of(one.minute), value.raw);
      }
    }
  }

  const NamedChunk& of_;
  const Metric metric_;
  Minutes& minutes_;
  size_t id_ = SIZE_MAX;  // no such series
  int64_t begun_ = INT64_MAX;
  int64_t ended_ = INT64_MAX;
};

}  // namespace

Task<Result<std::vector<MinuteStatistics>>> History::read(Series series, Metric metric, int64_t from,
                                                          int64_t to) const {
  const SeriesPart part{series.scope, series.part};
  const std::optional<Wanted> wanted = Wanted{part, metric};
  auto read = co_await read_chunks(engine_, series.table, from, to, wanted);
  PARTITA_CO_TRY(const std::vector<NamedChunk> chunks, std::move(read));
  const MetricRow& row = row_of(metric);
  Covered running;
  const std::set<int64_t> never;
  if (row.zero_when_idle || row.kind == ValueKind::kLevel) {
    const std::string account_name;
    const std::optional<Wanted> minutes_alone;
    auto of_account = co_await read_chunks(engine_, account_name, from, to, minutes_alone);
    PARTITA_CO_TRY(const std::vector<NamedChunk> account, std::move(of_account));
    running = covered(account);
  }
  Minutes minutes;
  const auto covered_in = [&](const NamedChunk& chunk) -> const std::set<int64_t>& {
    const auto found = running.find(chunk.name.hour);
    return found == running.end() ? never : found->second;
  };
  for (const NamedChunk& chunk : chunks) {
    ChunkUse use(chunk, part, metric, minutes);
    if (row.kind == ValueKind::kLevel) {
      use.add_levels(covered_in(chunk));
    } else {
      use.add_values();
    }
  }
  // After all values, so that a zero counts as no further sample.
  for (const NamedChunk& chunk : chunks) {
    if (row.zero_when_idle) ChunkUse(chunk, part, metric, minutes).add_zeros(covered_in(chunk));
  }
  std::vector<MinuteStatistics> all;
  for (const auto& [minute, statistics] : minutes) {
    if (minute >= from && minute < to) all.push_back({minute, statistics});
  }
  co_return all;
}

Task<Result<std::vector<std::string>>> History::tables(std::string after, size_t most) const {
  std::vector<std::string> names;
  while (names.size() < most) {
    auto scanned = co_await engine_.scan(tables_behind(after), storage::Direction::kAscending, 1, 1);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    if (page.empty()) break;
    after = table_of_row(page[0].key);
    names.push_back(after);
  }
  co_return names;
}

Task<Result<std::vector<KnownMetric>>> History::known(std::string table) const {
  std::vector<storage::Key> keys{known_series_key(table)};
  auto read = co_await engine_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  std::vector<KnownMetric> all;
  if (!records[0]) co_return all;
  PARTITA_CO_TRY(const KnownSeries known, KnownSeries::read(records[0]->value));
  for (const auto& [part, entry] : known.entries()) {
    for (const MetricRow& row : metric_rows()) {
      if ((entry.metrics >> static_cast<uint8_t>(row.metric) & 1) == 0) continue;
      all.push_back({{part.scope, table, part.name}, row.metric, entry.hour});
    }
  }
  co_return all;
}

}  // namespace partita::metrics
