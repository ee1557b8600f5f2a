#include <algorithm>
#include <set>

#include "model/fault.h"
#include "storage/ranges.h"
#include "table/control/policy.h"
#include "table/jobs/upkeep.h"
#include "table/rows/stream_record.h"
#include "table/rows/stream_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Position;
using storage::Record;

constexpr size_t kStreamsAtOnce = 100;

bool is_over(int64_t since_ms, int64_t lifetime_ms, int64_t now_ms) { return now_ms - since_ms >= lifetime_ms; }

size_t open_shards(const StreamInfo& stream) {
  return static_cast<size_t>(std::ranges::count(stream.shards, 0, &StreamShard::closed_ms));
}

// The number of the open shard with the most of the hash space.
uint32_t widest(const StreamInfo& stream) {
  const StreamShard* found = nullptr;
  for (const StreamShard& shard : stream.shards) {
    if (shard.closed_ms != 0) continue;
    const bool wider = found == nullptr || shard.last_hash - shard.first_hash > found->last_hash - found->first_hash;
    if (wider) found = &shard;
  }
  return found->number;
}

}  // namespace

Task<Result<Upkeep::End>> Upkeep::tend_streams(Job& job) {
  while (!background_.stopping()) {
    storage::Range range = system_rows(SystemRow::kStream);
    if (!job.cursor.empty()) range = storage::behind(job.cursor, std::move(range));
    auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, kStreamsAtOnce, kPageBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    if (page.empty()) {
      view_.saw_streams(clock_.monotonic_ns());
      co_return co_await finish(job);
    }
    for (size_t i = 0; i < page.size() && !background_.stopping(); ++i) {
      PARTITA_CO_TRY(StreamRow row, decode_stream_row(page[i].value));
      PARTITA_CO_TRY_VOID(co_await tend_stream(std::move(row), page[i].version));
      job.cursor = page[i].key;
      co_await background_.pass();
    }
    PARTITA_CO_TRY(const Stepped stepped, co_await step(job, {}));
    if (stepped == Stepped::kLost) co_return End::kLost;
  }
  co_return End::kStopped;
}

Task<Result<void>> Upkeep::tend_stream(StreamRow row, storage::Version version) {
  const int64_t now_ms = clock_.now_ms();
  std::set<uint32_t> over;
  for (const StreamShard& shard : row.shards) {
    std::string topic = topic_of(row.table_id, row.created_ms, shard.number);
    if (shard.closed_ms == 0 || !is_over(shard.closed_ms, kStreamLifetimeMs, now_ms)) {
      PARTITA_CO_TRY_VOID(co_await trim_shard(std::move(topic)));
      continue;
    }
    // A shard that is listed without its records is closed and empty; one that is not listed could not be found again.
    PARTITA_CO_TRY_VOID(co_await engine_.forget_log(std::move(topic)));
    over.insert(shard.number);
  }
  if (row.ended_ms == 0) co_return co_await tend_live(std::move(row), std::move(over));
  co_return co_await tend_ended(std::move(row), version, std::move(over));
}

// The newest of the entries that are too old stays, unread: by it one knows that there were older ones.
Task<Result<void>> Upkeep::trim_shard(std::string topic) {
  const int64_t now_ms = clock_.now_ms();
  Position oldest_kept{};
  Position upto{};
  Position at{};
  bool fresh = false;
  for (size_t rows = 2; !fresh && !background_.stopping(); rows = kPageRows) {
    auto read = co_await engine_.read_log(topic, at, rows, kPageBytes);
    PARTITA_CO_TRY(const auto entries, std::move(read));
    if (entries.empty()) break;
    at = entries.back().position;
    for (const storage::LogEntry& one : entries) {
      PARTITA_CO_TRY(const StreamEntry entry, decode_entry(one.entry));
      const auto* record = std::get_if<ItemRecord>(&entry);
      fresh = record != nullptr ? !is_over(record->at_ms, kStreamLifetimeMs, now_ms)
                                : std::get<ShardMark>(entry) == ShardMark::kClosed;
      if (fresh) break;
      // One that is too old stays; see above.
      if (record != nullptr && oldest_kept != Position())
        view_.saw_old_record(now_ms - record->at_ms - kStreamLifetimeMs);
      upto = oldest_kept;
      oldest_kept = one.position;
    }
    co_await background_.pass();
  }
  if (upto == Position()) co_return Result<void>();
  co_return co_await engine_.trim_log(std::move(topic), upto);
}

// Shards whose last record is too old go, old ones and wide ones are renewed.
Task<Result<void>> Upkeep::tend_live(StreamRow row, std::set<uint32_t> over) {
  const Table table = catalog_.find(row.table);
  if (table == nullptr || table->id != row.table_id || table->stream.label != row.label) co_return Result<void>();
  const int64_t now_ms = clock_.now_ms();
  std::vector<uint32_t> old;
  for (const StreamShard& shard : row.shards) {
    if (shard.closed_ms != 0 || !is_over(shard.opened_ms, kShardLifetimeMs, now_ms)) continue;
    auto first = co_await engine_.read_log(topic_of(row.table_id, row.created_ms, shard.number), {}, 2, kPageBytes);
    PARTITA_CO_TRY(const auto entries, std::move(first));
    if (entries.size() > 1) old.push_back(shard.number);
  }
  TableInfo settled = *table;
  settled.settle(now_ms);
  const size_t wanted = wanted_shards(settled, table->tally->bytes);
  if (over.empty() && old.empty() && open_shards(table->stream) >= wanted) co_return Result<void>();
  const Catalog::Change change = [&](TableInfo& info) -> Result<void> {
    if (info.id != row.table_id || info.stream.label != row.label || !info.stream.enabled) {
      return model::refuse(model::Fault::kStreamNotFound);
    }
    auto& shards = info.stream.shards;
    std::erase_if(shards, [&](const StreamShard& shard) { return over.contains(shard.number); });
    for (const uint32_t number : old) {
      const auto found = std::ranges::find(shards, number, &StreamShard::number);
      if (found != shards.end() && found->closed_ms == 0) renew_shard(info, number, 1, now_ms);
    }
    while (open_shards(info.stream) < wanted) renew_shard(info, widest(info.stream), 2, now_ms);
    return {};
  };
  const auto changed = co_await catalog_.change(row.table, change);
  if (!changed.ok() && changed.error().kind() != ErrorKind::kInvalid) co_return changed.error();
  co_return Result<void>();
}

Task<Result<void>> Upkeep::tend_ended(StreamRow row, storage::Version version, std::set<uint32_t> over) {
  if (over.empty()) co_return Result<void>();
  std::erase_if(row.shards, [&](const StreamShard& shard) { return over.contains(shard.number); });
  const storage::Key key = stream_row_key(row.table, row.label);
  const storage::Decide decide = [&](std::span<const Record* const>, Changes& changes) {
    if (row.shards.empty()) {
      erase_twice(key, changes);
      erase_twice(policy_key(row.table_id, row.label), changes);
    } else {
      put_twice(key, encode_stream_row(row), changes);
    }
    return Decision::kCommit;
  };
  std::vector<storage::Key> none;
  std::vector<storage::Compare> compare{{key, version}};
  const auto written = co_await engine_.transact(std::move(none), std::move(compare), decide);
  if (!written.ok()) co_return written.error();
  co_return Result<void>();
}

}  // namespace partita::table
