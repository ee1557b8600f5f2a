#include <algorithm>
#include <set>

#include "base/exposition.h"
#include "model/fault.h"
#include "storage/ranges.h"
#include "table/control/policy.h"
#include "table/jobs/job_type.h"
#include "table/jobs/store_job.h"
#include "table/jobs/trim_lateness.h"
#include "table/rows/stream_record.h"
#include "table/rows/stream_rows.h"

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Position;
using storage::Record;

constexpr size_t kStreamsAtOnce = 100;

bool has_passed(int64_t since_ms, int64_t lifetime_ms, int64_t now_ms) { return now_ms - since_ms >= lifetime_ms; }

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

// An older version stored that a table has a stream, and made none.
Task<Result<void>> adopt_stream(TableContext& context, Table table) {
  const auto is_missing = [](const StreamInfo& stream) { return stream.enabled && stream.shards.empty(); };
  if (!is_missing(table->stream)) co_return Result<void>();
  const Catalog::Change begin = [&](TableInfo& info) -> Result<void> {
    if (info.id == table->id && is_missing(info.stream))
      begin_stream(info, info.stream.view_type, context.clock().now_ms());
    return Result<void>();
  };
  const auto begun = co_await context.catalog().change(table->name, begin);
  if (!begun.ok() && begun.error().kind() != ErrorKind::kInvalid) co_return begun.error();
  co_return Result<void>();
}

// Shards whose last record is too old go, old ones and wide ones are renewed.
Task<Result<void>> tend_live(JobRun& run, StreamRow row, std::set<uint32_t> over) {
  const Table table = run.catalog().find(row.table);
  if (table == nullptr || table->id != row.table_id || table->stream.label != row.label) co_return Result<void>();
  const int64_t now_ms = run.clock().now_ms();
  std::vector<uint32_t> old;
  for (const StreamShard& shard : row.shards) {
    if (shard.closed_ms != 0 || !has_passed(shard.opened_ms, kShardLifetimeMs, now_ms)) continue;
    auto first =
        co_await run.engine().read_log(topic_of(row.table_id, row.created_ms, shard.number), {}, 2, JobRun::kPageBytes);
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
  const auto changed = co_await run.catalog().change(row.table, change);
  if (!changed.ok() && changed.error().kind() != ErrorKind::kInvalid) co_return changed.error();
  co_return Result<void>();
}

Task<Result<void>> tend_ended(JobRun& run, StreamRow row, storage::Version version, std::set<uint32_t> over) {
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
  const auto written = co_await run.engine().transact(std::move(none), std::move(compare), decide);
  if (!written.ok()) co_return written.error();
  co_return Result<void>();
}

class TendStreams final : public JobType {
 public:
  std::string describe(const Job& /*job*/) const override { return "tending streams"; }
  Task<Result<StepEnd>> step(JobRun& run) override;
  // Every minute, if the store has any.
  Task<Result<void>> find(JobSearch& search) override {
    for (const Table& table : search.context().catalog().all()) {
      PARTITA_CO_TRY_VOID(co_await adopt_stream(search.context(), table));
    }
    co_return co_await want_if_any(search, JobKind::kTendStreams, SystemRow::kStream);
  }
  int64_t find_every_ms() const override { return kMinuteMs; }
  void report(Exposition& out, int64_t now_ns) const override { lateness_.report(out, now_ns); }
  JobLog log_level() const override { return JobLog::kIfRowsDone; }

 private:
  Task<Result<void>> tend_stream(JobRun& run, StreamRow row, storage::Version version);
  Task<Result<void>> trim_shard(JobRun& run, std::string topic);

  TrimLateness lateness_;
};

Task<Result<StepEnd>> TendStreams::step(JobRun& run) {
  Job& job = run.job;
  storage::Range range = system_rows(SystemRow::kStream);
  if (!job.cursor.empty()) range = storage::behind(job.cursor, std::move(range));
  auto scanned = co_await run.engine().scan(range, storage::Direction::kAscending, kStreamsAtOnce, JobRun::kPageBytes);
  PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
  if (page.empty()) {
    lateness_.saw_streams(run.clock().monotonic_ns());
    co_return co_await run.finish();
  }
  for (size_t i = 0; i < page.size() && !run.stopping(); ++i) {
    PARTITA_CO_TRY(StreamRow row, decode_stream_row(page[i].value));
    PARTITA_CO_TRY_VOID(co_await tend_stream(run, std::move(row), page[i].version));
    job.cursor = page[i].key;
    co_await run.pass();
  }
  PARTITA_CO_TRY(const JobRun::Stored stepped, co_await run.store(job, {}));
  if (stepped == JobRun::Stored::kLost) co_return StepEnd::kLost;
  co_return StepEnd::kMore;
}

Task<Result<void>> TendStreams::tend_stream(JobRun& run, StreamRow row, storage::Version version) {
  const int64_t now_ms = run.clock().now_ms();
  std::set<uint32_t> over;
  for (const StreamShard& shard : row.shards) {
    std::string topic = topic_of(row.table_id, row.created_ms, shard.number);
    if (shard.closed_ms == 0 || !has_passed(shard.closed_ms, kStreamLifetimeMs, now_ms)) {
      PARTITA_CO_TRY_VOID(co_await trim_shard(run, std::move(topic)));
      continue;
    }
    // A shard that is listed without its records is closed and empty; one that is not listed could not be found again.
    PARTITA_CO_TRY_VOID(co_await run.engine().forget_log(std::move(topic)));
    over.insert(shard.number);
  }
  if (row.ended_ms == 0) co_return co_await tend_live(run, std::move(row), std::move(over));
  co_return co_await tend_ended(run, std::move(row), version, std::move(over));
}

// The newest of the entries that are too old stays, unread: by it one knows that there were older ones.
Task<Result<void>> TendStreams::trim_shard(JobRun& run, std::string topic) {
  const int64_t now_ms = run.clock().now_ms();
  Position oldest_kept{};
  Position upto{};
  Position at{};
  bool fresh = false;
  for (size_t rows = 2; !fresh && !run.stopping(); rows = JobRun::kPageRows) {
    auto read = co_await run.engine().read_log(topic, at, rows, JobRun::kPageBytes);
    PARTITA_CO_TRY(const auto entries, std::move(read));
    if (entries.empty()) break;
    at = entries.back().position;
    for (const storage::LogEntry& one : entries) {
      PARTITA_CO_TRY(const StreamEntry entry, decode_entry(one.entry));
      const auto* record = std::get_if<ItemRecord>(&entry);
      fresh = record != nullptr ? !has_passed(record->at_ms, kStreamLifetimeMs, now_ms)
                                : std::get<ShardMark>(entry) == ShardMark::kClosed;
      if (fresh) break;
      // One that is too old stays; see above.
      if (record != nullptr && oldest_kept != Position())
        lateness_.saw_old_record(now_ms - record->at_ms - kStreamLifetimeMs);
      upto = oldest_kept;
      oldest_kept = one.position;
    }
    co_await run.pass();
  }
  if (upto == Position()) co_return Result<void>();
  co_return co_await run.engine().trim_log(std::move(topic), upto);
}

}  // namespace

std::unique_ptr<JobType> tend_streams() { return std::make_unique<TendStreams>(); }

}  // namespace partita::table
