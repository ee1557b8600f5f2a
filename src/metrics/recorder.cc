#include "metrics/recorder.h"

#include <algorithm>
#include <utility>

#include "storage/range_cursor.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::metrics {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

constexpr size_t kMostBytesAtOnce = size_t{256} << 10;
constexpr size_t kMostRowsAtOnce = 100;
constexpr int64_t kKeptHours = kKeptMinutes / kMinutesPerHour;
constexpr size_t kMostWaiting = 1'000;  // complete rows that could not be written

struct Put {
  Key key;
  std::string value;
};

Task<Result<void>> write_rows(storage::Engine& engine, std::vector<Put> rows) {
  size_t at = 0;
  while (at < rows.size()) {
    const size_t begin = at;
    size_t bytes = 0;
    for (; at < rows.size() && at - begin < kMostRowsAtOnce && bytes < kMostBytesAtOnce; ++at)
      bytes += rows[at].value.size();
    const storage::Decide decide = [&](std::span<const Record* const>, Changes& changes) {
      for (size_t i = begin; i < at; ++i) changes.put(rows[i].key, rows[i].value);
      return Decision::kCommit;
    };
    std::vector<Key> keys;
    std::vector<storage::Compare> compare;
    auto outcome = co_await engine.transact(std::move(keys), std::move(compare), decide);
    if (!outcome.ok()) co_return std::move(outcome).error();
  }
  co_return Result<void>();
}

bool is_level(Metric metric) { return row_of(metric).kind == ValueKind::kLevel; }

using Levels = std::map<SeriesPart, MinuteValues::mapped_type>;

Levels levels_in(const MinuteValues& values) {
  Levels levels;
  for (const auto& [part, metrics] : values) {
    for (const auto& [metric, value] : metrics) {
      if (is_level(metric)) levels[part].emplace(metric, value);
    }
  }
  return levels;
}

// Levels are added when they change, and stay as they are until then. One that has ended becomes 0. `fresh`: a row
// begins, which says them all.
void drop_known_levels(MinuteValues& values, Levels& levels, bool fresh) {
  Levels now = levels_in(values);
  for (const auto& [part, before] : levels) {
    for (const auto& [metric, value] : before) {
      const auto same = now[part].find(metric);
      if (same == now[part].end()) {
        values[part][metric] = RawValue{1};
      } else if (!fresh && same->second.sum == value.sum) {
        values[part].erase(metric);
      }
    }
  }
  std::erase_if(values, [](const auto& one) { return one.second.empty(); });
  levels = std::move(now);
}

}  // namespace

void Recorder::add(const std::string& table, const std::vector<SeriesPart>& alive, MinuteValues values,
                   int64_t minute) {
  const int64_t hour = minute / kMinutesPerHour;
  const auto within = static_cast<uint8_t>(minute % kMinutesPerHour);
  Open& open = open_[table];
  if (open.chunk != nullptr && (open.chunk->hour() != hour || open.chunk->text().size() > ChunkWriter::kMostBytes)) {
    // A second row of the same hour must not replace the first.
    if (open.chunk->hour() == hour) ++server_;
    set_aside(table, open);
  }
  const bool fresh = open.chunk == nullptr;
  if (fresh) open.chunk = std::make_unique<ChunkWriter>(hour, server_);
  for (const auto& [part, metrics] : values) {
    for (const auto& [metric, value] : metrics) open.known_changed |= open.known.note(part, metric, hour);
  }
  for (const SeriesPart& part : alive) {
    for (const MetricRow& row : metric_rows()) {
      if (row.zero_when_idle) open.known_changed |= open.known.note(part, row.metric, hour);
    }
  }
  drop_known_levels(values, open.levels, fresh);
  const size_t before = open.chunk->text().size();
  for (const SeriesPart& part : alive) open.chunk->begin(part, within);
  if (!values.empty() || table.empty()) open.chunk->add(within, values);
  open.changed = open.changed || fresh || open.chunk->text().size() != before;
}

void Recorder::set_aside(const std::string& table, Open& open) {
  if (open.changed && full_.size() < kMostWaiting) {
    full_.push_back(std::move(*open.chunk));
    full_of_.push_back(table);
  }
  open.chunk.reset();
  open.changed = false;
}

void Recorder::begin_anew() {
  for (auto& [table, open] : open_) {
    if (open.chunk != nullptr) set_aside(table, open);
    // These know hours that are ahead of the clock now.
    open.known = KnownSeries();
  }
  ++server_;
}

void Recorder::write_again() {
  for (auto& [table, open] : open_) open.changed = open.known_changed = true;
}

void Recorder::add_table(const TableCounts& table, int64_t minute) {
  const auto found = std::ranges::find(before_.tables, table.id, &TableCounts::id);
  std::vector<SeriesPart> alive = {{Scope::kTable, {}}};
  for (const IndexCounts& index : table.indexes) alive.push_back({Scope::kIndex, index.name});
  add(table.name, alive, values_of(found == before_.tables.end() ? nullptr : &*found, table), minute);
}

void Recorder::add_account(const ServerCounts& counts, int64_t minute) {
  add({}, {}, values_of(before_, counts), minute);
}

void Recorder::end_dropped(const ServerCounts& counts, int64_t minute) {
  for (auto at = open_.begin(); at != open_.end();) {
    const std::string& table = at->first;
    Open& open = at->second;
    if (table.empty() || std::ranges::find(counts.tables, table, &TableCounts::name) != counts.tables.end()) {
      ++at;
      continue;
    }
    const bool same_hour = open.chunk != nullptr && open.chunk->hour() == minute / kMinutesPerHour;
    if (same_hour) open.chunk->end(static_cast<uint8_t>(minute % kMinutesPerHour));
    if (open.chunk != nullptr && (same_hour || open.changed) && full_.size() < kMostWaiting) {
      full_.push_back(std::move(*open.chunk));
      full_of_.push_back(table);
      ++server_;  // a table of the same name begins another row
    }
    at = open_.erase(at);
  }
}

Task<Result<void>> Recorder::write_chunks(storage::Engine& engine) {
  std::vector<Put> rows;
  for (size_t i = 0; i < full_.size(); ++i) {
    rows.push_back({chunk_key(full_of_[i], full_[i].hour(), full_[i].server()), full_[i].text()});
  }
  for (const auto& [table, open] : open_) {
    if (open.changed) rows.push_back({chunk_key(table, open.chunk->hour(), open.chunk->server()), open.chunk->text()});
  }
  PARTITA_CO_TRY_VOID(co_await write_rows(engine, std::move(rows)));
  full_.clear();
  full_of_.clear();
  for (auto& [table, open] : open_) open.changed = false;
  co_return Result<void>();
}

Task<Result<void>> Recorder::write_known(storage::Engine& engine, int64_t hour) {
  std::vector<std::string> tables;
  for (const auto& [table, open] : open_) {
    if (open.known_changed) tables.push_back(table);
  }
  for (size_t begin = 0; begin < tables.size(); begin += kMostRowsAtOnce) {
    const size_t end = std::min(tables.size(), begin + kMostRowsAtOnce);
    std::vector<Key> keys;
    for (size_t i = begin; i < end; ++i) keys.push_back(known_series_key(tables[i]));
    const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
      for (size_t i = begin; i < end; ++i) {
        KnownSeries all = open_[tables[i]].known;
        const Record* const stored = found[i - begin];
        auto before = stored == nullptr ? Result<KnownSeries>(KnownSeries()) : KnownSeries::read(stored->value);
        if (!before.ok() && before.error().kind() == ErrorKind::kInvalid) continue;
        if (before.ok()) all.merge(*before);
        all.forget_before(hour - kKeptHours - kHoursPerDay);
        all.limit_to(hour + kKeptHours);
        changes.put(known_series_key(tables[i]), all.row());
      }
      return Decision::kCommit;
    };
    std::vector<storage::Compare> compare;
    auto outcome = co_await engine.transact(std::move(keys), std::move(compare), decide);
    if (!outcome.ok()) co_return std::move(outcome).error();
    for (size_t i = begin; i < end; ++i) open_[tables[i]].known_changed = false;
  }
  co_return Result<void>();
}

Task<Result<void>> Recorder::record(storage::Engine& engine, ServerCounts counts, int64_t minute) {
  if (minute <= last_minute_) {
    end_dropped(counts, last_minute_ + 1);
    begin_anew();
  }
  last_minute_ = minute;
  end_dropped(counts, minute);
  for (const TableCounts& table : counts.tables) add_table(table, minute);
  add_account(counts, minute);
  before_ = std::move(counts);
  PARTITA_CO_TRY_VOID(co_await write_chunks(engine));
  co_return co_await write_known(engine, minute / kMinutesPerHour);
}

Task<Result<void>> erase_old(storage::Engine& engine, int64_t now_minute) {
  const int64_t now = now_minute / kMinutesPerHour;
  // The account comes first, which has no row of known series.
  for (std::string table;;) {
    PARTITA_CO_TRY_VOID(co_await storage::erase_rows(engine, chunks_of(table, 0, now - kKeptHours)));
    PARTITA_CO_TRY_VOID(co_await storage::erase_rows(engine, chunks_of(table, now + kKeptHours + 1, UINT32_MAX)));
    auto left = co_await engine.scan(chunks_of(table, 0, UINT32_MAX), storage::Direction::kAscending, 1, 1);
    PARTITA_CO_TRY(const storage::Page rest, std::move(left));
    // Each table has a row for each hour, so this one was dropped long ago.
    if (rest.empty())
      PARTITA_CO_TRY_VOID(co_await storage::erase_rows(engine, storage::just(known_series_key(table).bytes)));
    auto scanned = co_await engine.scan(tables_behind(table), storage::Direction::kAscending, 1, 1);
    PARTITA_CO_TRY(const storage::Page next, std::move(scanned));
    if (next.empty()) co_return Result<void>();
    table = table_of_row(next[0].key);
  }
}

}  // namespace partita::metrics
