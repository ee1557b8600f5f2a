#include "engines/foundationdb/foundationdb_engine.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/workers.h"
#include "engines/foundationdb/attempt.h"
#include "engines/foundationdb/commit_pipeline.h"
#include "engines/foundationdb/health_probe.h"
#include "engines/foundationdb/install.h"
#include "engines/foundationdb/rows.h"
#include "engines/foundationdb/session_lease.h"
#include "engines/foundationdb/store_operations.h"
#include "storage/group_commit.h"
#include "storage/positions.h"
#include "storage/ranges.h"
#include "storage/remote_meters.h"

namespace partita {

namespace {

using namespace storage;
using namespace foundationdb;

// A packed key is longer by a seventh and has a prefix, and a transaction of FoundationDB names its keys several times.
constexpr Limits kLimits{.key_bytes = 8'500, .record_bytes = 7'500'000, .transaction_bytes = 8'000'000};
static_assert(packed_size(kLimits.key_bytes) + RowKeys::kMaxPrefixBytes + 8 <= 10'000);

// Of entries: what one transaction restores, and what each takes beside itself.
constexpr size_t kRestoredAtOnce = 1'000'000;
constexpr size_t kRowBytes = 1'000;

class FoundationdbEngine final : public Engine {
 public:
  FoundationdbEngine(Cluster cluster, const StoreLocation& place, const FoundationdbOptions& options,
                     SessionLease::Kind kind)
      : cluster_(std::move(cluster)),
        names_(place.prefix),
        operations_(names_, workers_),
        lease_(cluster_, names_, workers_, kind, options.heartbeat),
        pipeline_(cluster_, names_, workers_, lease_, meters_, options, kLimits),
        probe_(cluster_, place.cluster_file) {}

  Result<void> install(const StoreLocation& place, bool makes) {
    PARTITA_TRY_VOID(wait_for(foundationdb::install(cluster_, names_, place, makes, workers_)));
    return lease_.enter();
  }
  // That it still has the store as it was entered. Blocks.
  Result<void> check() {
    return wait_for(run_with_retries([this](TxnAttempt& attempt) { return lease_.check(attempt); }));
  }

  Task<Result<std::vector<std::optional<Record>>>> read(std::span<const Key> keys) override;
  Task<Result<Page>> scan(Range range, Direction direction, size_t max_records, size_t max_bytes) override;
  Task<Result<Outcome>> transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                 Version* version) override;
  Task<Result<void>> erase_range(Range range) override;
  Task<Result<std::vector<LogEntry>>> read_log(std::string topic, Position after, size_t max_entries,
                                               size_t max_bytes) override;
  Task<Result<Position>> log_end(std::string topic) override;
  Task<Result<void>> trim_log(std::string topic, Position upto) override;
  Task<Result<void>> forget_log(std::string topic) override;
  Task<Result<std::vector<std::string>>> topics(std::string after, size_t most) override;
  Task<Result<void>> restore_log(std::string topic, std::vector<LogEntry> entries, Position end) override;
  bool has_room_for(const Position& end) const override { return RowKeys::is_a_position(end); }
  Task<Result<uint64_t>> approximate_bytes(Range range) override;
  Limits limits() const override { return kLimits; }
  Result<void> health() const override { return probe_.health(); }
  void report(Exposition& out) const override { meters_.report(out); }

 private:
  // Calls `once`, which yields an error code, until it succeeds or RetryPolicy ends.
  template <class Once>
  Task<Result<void>> run_with_retries(Once once);
  // The same, of what reads, which is counted, and of what writes, which relies on who has the store.
  template <class Once>
  Task<Result<void>> ask(Once once);
  template <class Once>
  Task<Result<void>> change(Once once);

  Workers workers_{2};  // who evaluates, and goes on with coroutines that have no executor
  const Cluster cluster_;
  const RowKeys names_;
  const StoreOperations operations_;
  RemoteMeters meters_;
  SessionLease lease_;
  CommitPipeline pipeline_;
  const HealthProbe probe_;
};

template <class Once>
Task<Result<void>> FoundationdbEngine::run_with_retries(Once once) {
  const RetryPolicy retry_policy(workers_);
  for (;;) {
    TxnAttempt attempt(cluster_);
    attempt.limit_time(retry_policy.next());
    const int code = co_await once(attempt);
    if (code == 0) co_return Result<void>();
    bool again = false;
    if (!is_final(code)) again = co_await retry_policy.allows_another(attempt, code);
    if (!again) co_return error_of(code);
  }
}

template <class Once>
Task<Result<void>> FoundationdbEngine::ask(Once once) {
  const int64_t begun_ns = system_clock().monotonic_ns();
  Result<void> answered = co_await run_with_retries(std::move(once));
  meters_.reads.add(static_cast<uint64_t>(system_clock().monotonic_ns() - begun_ns));
  co_return answered;
}

template <class Once>
Task<Result<void>> FoundationdbEngine::change(Once once) {
  const auto checked = [&](TxnAttempt& attempt) -> Task<int> {
    const int code = co_await lease_.check(attempt);
    if (code != 0) co_return code;
    co_return co_await once(attempt);
  };
  co_return co_await run_with_retries(checked);
}

Task<Result<std::vector<std::optional<Record>>>> FoundationdbEngine::read(std::span<const Key> keys) {
  PARTITA_CO_TRY_VOID(check_keys(kLimits, keys, {}));
  std::vector<std::optional<Record>> records(keys.size());
  if (keys.empty()) co_return records;
  const auto once = [&](TxnAttempt& attempt) { return operations_.read(attempt, keys, records); };
  PARTITA_CO_TRY_VOID(co_await ask(once));
  co_return records;
}

Task<Result<Page>> FoundationdbEngine::scan(Range range, Direction direction, size_t max_records, size_t max_bytes) {
  Page page;
  if (is_empty(range)) co_return page;
  const StoreOperations::Bounds bounds{max_records, std::min(max_bytes, kMaxPageBytes)};
  const auto once = [&](TxnAttempt& attempt) { return operations_.scan(attempt, range, direction, bounds, page); };
  PARTITA_CO_TRY_VOID(co_await ask(once));
  co_return page;
}

Task<Result<Outcome>> FoundationdbEngine::transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                                   Version* version) {
  return run_transaction<PendingTxn>(pipeline_, kLimits, std::move(keys), std::move(compare), std::move(decide),
                                     version);
}

Task<Result<void>> FoundationdbEngine::erase_range(Range range) {
  if (is_empty(range)) co_return Result<void>();
  const auto once = [&](TxnAttempt& attempt) { return operations_.erase(attempt, range); };
  co_return co_await change(once);
}

Task<Result<std::vector<LogEntry>>> FoundationdbEngine::read_log(std::string topic, Position after, size_t max_entries,
                                                                 size_t max_bytes) {
  std::vector<LogEntry> entries;
  const StoreOperations::Bounds bounds{max_entries, max_bytes};
  const auto once = [&](TxnAttempt& attempt) { return operations_.read_log(attempt, topic, after, bounds, entries); };
  PARTITA_CO_TRY_VOID(co_await ask(once));
  co_return entries;
}

Task<Result<Position>> FoundationdbEngine::log_end(std::string topic) {
  Position end;
  const auto once = [&](TxnAttempt& attempt) { return operations_.log_end(attempt, topic, end); };
  PARTITA_CO_TRY_VOID(co_await ask(once));
  co_return end;
}

Task<Result<void>> FoundationdbEngine::trim_log(std::string topic, Position upto) {
  const auto once = [&](TxnAttempt& attempt) { return operations_.trim(attempt, topic, upto); };
  co_return co_await change(once);
}

Task<Result<void>> FoundationdbEngine::forget_log(std::string topic) {
  const auto once = [&](TxnAttempt& attempt) { return operations_.forget(attempt, topic); };
  co_return co_await change(once);
}

Task<Result<std::vector<std::string>>> FoundationdbEngine::topics(std::string after, size_t most) {
  std::vector<std::string> names;
  const auto once = [&](TxnAttempt& attempt) { return operations_.topics(attempt, after, most, names); };
  PARTITA_CO_TRY_VOID(co_await ask(once));
  co_return names;
}

Task<Result<void>> FoundationdbEngine::restore_log(std::string topic, std::vector<LogEntry> entries, Position end) {
  const auto has_room = [this](const LogEntry& one) { return has_room_for(one.position); };
  if (!has_room_for(end) || !std::ranges::all_of(entries, has_room)) co_return no_room_for_position();
  for (size_t begin = 0; begin < entries.size();) {
    size_t bytes = 0;
    size_t behind = begin;
    while (behind < entries.size() && bytes < kRestoredAtOnce) bytes += entries[behind++].entry.size() + kRowBytes;
    const auto some = std::span<const LogEntry>(entries).subspan(begin, behind - begin);
    const auto once = [&](TxnAttempt& attempt) { return operations_.restore(attempt, topic, some); };
    PARTITA_CO_TRY_VOID(co_await change(once));
    begin = behind;
  }
  const auto once = [&](TxnAttempt& attempt) { return operations_.begin_behind(attempt, topic, end); };
  co_return co_await change(once);
}

Task<Result<uint64_t>> FoundationdbEngine::approximate_bytes(Range range) {
  uint64_t bytes = 0;
  if (is_empty(range)) co_return bytes;
  const auto once = [&](TxnAttempt& attempt) { return operations_.estimate(attempt, range, bytes); };
  PARTITA_CO_TRY_VOID(co_await ask(once));
  co_return bytes;
}

Result<std::unique_ptr<FoundationdbEngine>> open(const FoundationdbOptions& options, SessionLease::Kind kind) {
  PARTITA_TRY(const StoreLocation place, StoreLocation::parse(options.place));
  PARTITA_TRY(Cluster cluster, Cluster::open(place.cluster_file));
  auto engine = std::make_unique<FoundationdbEngine>(std::move(cluster), place, options, kind);
  PARTITA_TRY_VOID(engine->install(place, options.makes));
  return engine;
}

}  // namespace

Result<std::unique_ptr<storage::Engine>> open_foundationdb_engine(const FoundationdbOptions& options) {
  PARTITA_TRY(std::unique_ptr<storage::Engine> engine, open(options, SessionLease::Kind::kShares));
  return engine;
}

Result<storage::ExclusiveEngine> open_exclusive_foundationdb_engine(const FoundationdbOptions& options) {
  PARTITA_TRY(std::unique_ptr<FoundationdbEngine> engine, open(options, SessionLease::Kind::kAlone));
  storage::ExclusiveEngine held;
  held.check = [held_by = engine.get()] { return held_by->check(); };
  held.engine = std::move(engine);
  return held;
}

}  // namespace partita
