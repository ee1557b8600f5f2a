#include "engines/rocksdb/rocksdb_engine.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/workers.h"
#include "engines/rocksdb/committer.h"
#include "engines/rocksdb/latches.h"
#include "engines/rocksdb/reads.h"
#include "engines/rocksdb/reclaim.h"
#include "engines/rocksdb/record_cache.h"
#include "engines/rocksdb/report.h"
#include "engines/rocksdb/scrubber.h"
#include "engines/rocksdb/static_init.h"
#include "engines/rocksdb/store.h"
#include "engines/rocksdb/store_backup.h"
#include "engines/rocksdb/transaction.h"
#include "storage/positions.h"
#include "storage/ranges.h"

namespace partita {

namespace {

using namespace storage;
using rocks::Commit;
using rocks::kNoPlace;
using rocks::ReadTier;
using rocksdb::Status;

constexpr size_t kWorkerThreads = 4;

const std::string& end_of(const Range& range) { return range.end.empty() ? rocks::beyond_all_keys() : range.end; }

class RocksdbEngine final : public Engine, public Maintenance {
 public:
  RocksdbEngine(std::unique_ptr<rocks::Store> store, const RocksdbOptions& options)
      : store_(std::move(store)),
        cache_(rocks::record_cache_bytes(options)),
        committer_(*store_, latches_, cache_, options) {}

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
  bool has_room_for(const Position& end) const override { return position_number(end).value_or(kNoPlace) != kNoPlace; }
  Task<Result<uint64_t>> approximate_bytes(Range range) override;
  Limits limits() const override { return rocks::kLimits; }
  Result<void> health() const override;
  void report(Exposition& out) const override { rocks::report(*store_, out); }
  Maintenance* maintenance() override { return this; }
  Result<storage::BackupResult> back_up(const storage::BackupRequest& request) override {
    return rocks::back_up(*store_, request);
  }
  Result<std::vector<std::string>> check_files(const storage::OnBytes& progress) override {
    return rocks::check_files(*store_, progress);
  }
  Result<std::unique_ptr<storage::Scrub>> start_scrub(const storage::ScrubOptions& options) override {
    return rocks::begin_scrub(*store_, options);
  }
  Result<void> start() { return committer_.start(); }

 private:
  // `read` is called with a tier and where to put the value: on this thread, and again on a worker when it needs the
  // disk.
  template <class Value, class Read>
  Task<Result<Value>> ask(Read read);
  Task<Result<void>> trim(std::string topic, uint64_t upto);
  // Queues and awaits a commit that compares nothing, from a worker.
  Task<Result<void>> carry_out(Commit& commit);

  std::unique_ptr<rocks::Store> store_;
  rocks::Latches latches_;
  rocks::RecordCache cache_;
  Workers workers_{kWorkerThreads};
  rocks::SpaceReclaimer reclaimer_{*store_, workers_};
  rocks::Committer committer_;  // last: its thread uses the others
};

// One that met damage goes on serving what it can, and has to be looked at.
Result<void> RocksdbEngine::health() const {
  PARTITA_TRY_VOID(committer_.health());
  if (store_->damage.any()) return Error(ErrorKind::kCorrupt, store_->damage.sentence());
  return {};
}

template <class Value, class Read>
Task<Result<Value>> RocksdbEngine::ask(Read read) {
  Value value{};
  Status status = read(rocks::kInMemory, value);
  if (status.IsIncomplete()) {
    Executor* const home = Executor::current();
    const int64_t began_ns = system_clock().monotonic_ns();
    co_await workers_.enter();
    status = read(rocks::kFromDisk, value);
    store_->meters.disk_reads.add(static_cast<uint64_t>(system_clock().monotonic_ns() - began_ns));
    co_await SwitchTo{home};
  } else {
    store_->meters.memory_reads.add();
  }
  if (!status.ok()) co_return rocks::to_error(*store_, status);
  co_return value;
}

Task<Result<std::vector<std::optional<Record>>>> RocksdbEngine::read(std::span<const Key> keys) {
  return ask<std::vector<std::optional<Record>>>(
      [this, keys, ticket = rocks::RecordCache::Ticket{}](ReadTier tier, auto& records) mutable {
        return rocks::read_cached(*store_, cache_, keys, tier, ticket, records);
      });
}

Task<Result<Page>> RocksdbEngine::scan(Range range, Direction direction, size_t max_records, size_t max_bytes) {
  max_bytes = std::min(max_bytes, kMaxPageBytes);
  return ask<Page>([=, this, range = std::move(range)](ReadTier tier, Page& page) {
    return rocks::scan_page(*store_, range, direction, max_records, max_bytes, tier, page);
  });
}

Task<Result<Outcome>> RocksdbEngine::transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                              Version* version) {
  const rocks::TransactionContext context{*store_, latches_, cache_, workers_, committer_, store_->meters};
  return rocks::transact(context, std::move(keys), std::move(compare), std::move(decide), version);
}

Task<Result<void>> RocksdbEngine::carry_out(Commit& commit) {
  using Verdict = rocks::Committer::EnqueueStatus;
  Verdict verdict = Verdict::kFull;
  while (verdict == Verdict::kFull || verdict == Verdict::kOutdated) {
    co_await committer_.room(commit);
    verdict = committer_.enqueue(commit, {}, committer_.generation());
  }
  if (verdict == Verdict::kPasses) {
    co_await commit;
  } else {
    committer_.give_back(commit);
  }
  co_return committer_.outcome_of(commit);
}

Task<Result<void>> RocksdbEngine::erase_range(Range range) {
  Executor* const home = Executor::current();
  PARTITA_CO_TRY_VOID(committer_.health());
  if (is_empty(range)) co_return Result<void>();
  co_await workers_.enter();
  uint64_t bytes = 0;
  rocks::approximate_size(*store_, store_->records, range.begin, end_of(range), bytes).PermitUncheckedError();
  Commit commit;
  commit.executor = &workers_;
  commit.erase = range;
  auto outcome = co_await carry_out(commit);
  if (outcome.ok()) reclaimer_.erased(store_->records, range.begin, end_of(range), bytes);
  co_await SwitchTo{home};
  co_return outcome;
}

Task<Result<std::vector<LogEntry>>> RocksdbEngine::read_log(std::string topic, Position after, size_t max_entries,
                                                            size_t max_bytes) {
  return ask<std::vector<LogEntry>>([=, this, topic = std::move(topic)](ReadTier tier, auto& entries) {
    return rocks::read_entries(*store_, topic, after, max_entries, max_bytes, tier, entries);
  });
}

Task<Result<Position>> RocksdbEngine::log_end(std::string topic) {
  return ask<Position>([this, topic = std::move(topic)](ReadTier tier, Position& end) {
    uint64_t place = 0;
    Status status = rocks::find_entry(*store_, topic, kNoPlace, tier, place);
    end = numbered_position(place);
    return status;
  });
}

Task<Result<void>> RocksdbEngine::trim_log(std::string topic, Position upto) {
  return trim(std::move(topic), std::min(leading_number(upto), kNoPlace - 1));
}

Task<Result<void>> RocksdbEngine::forget_log(std::string topic) { return trim(std::move(topic), kNoPlace); }

Task<Result<void>> RocksdbEngine::trim(std::string topic, uint64_t upto) {
  Executor* const home = Executor::current();
  PARTITA_CO_TRY_VOID(committer_.health());
  co_await workers_.enter();
  uint64_t newest = kNoPlace;
  Status status;
  if (upto != kNoPlace) status = rocks::find_entry(*store_, topic, upto, rocks::kFromDisk, newest);
  Result<void> outcome;
  if (!status.ok()) {
    outcome = rocks::to_error(*store_, status);
  } else if (newest != 0) {
    const std::string begin = rocks::log_key(topic, 0);
    const std::string end = rocks::log_key(topic, newest);
    uint64_t bytes = 0;
    rocks::approximate_size(*store_, store_->log, begin, end, bytes).PermitUncheckedError();
    Commit commit;
    commit.executor = &workers_;
    commit.trim = Commit::LogTrim{std::move(topic), newest};
    outcome = co_await carry_out(commit);
    if (outcome.ok()) reclaimer_.erased(store_->log, begin, end, bytes);
  }
  co_await SwitchTo{home};
  co_return outcome;
}

Task<Result<std::vector<std::string>>> RocksdbEngine::topics(std::string after, size_t most) {
  return ask<std::vector<std::string>>([=, this, after = std::move(after)](ReadTier tier, auto& topics) {
    return rocks::list_topics(*store_, after, most, tier, topics);
  });
}

Task<Result<void>> RocksdbEngine::restore_log(std::string topic, std::vector<LogEntry> entries, Position end) {
  Executor* const home = Executor::current();
  if (!has_room_for(end)) co_return no_room_for_position();
  const std::optional<uint64_t> last = position_number(end);
  PARTITA_CO_TRY_VOID(committer_.health());
  co_await workers_.enter();
  uint64_t newest = 0;
  const Status found = rocks::find_entry(*store_, topic, kNoPlace, rocks::kFromDisk, newest);
  if (!entries.empty()) newest = std::max(newest, leading_number(entries.back().position));
  Commit commit;
  commit.executor = &workers_;
  commit.restored = Commit::LogRestore{std::move(topic), {}, *last, newest < *last};
  for (LogEntry& one : entries) {
    commit.restored->entries.emplace_back(leading_number(one.position), std::move(one.entry));
  }
  Result<void> outcome;
  if (!found.ok()) {
    outcome = rocks::to_error(*store_, found);
  } else if (*last > 0) {
    outcome = co_await carry_out(commit);
  }
  co_await SwitchTo{home};
  co_return outcome;
}

Task<Result<uint64_t>> RocksdbEngine::approximate_bytes(Range range) {
  if (is_empty(range)) co_return uint64_t{0};
  Executor* const home = Executor::current();
  co_await workers_.enter();
  uint64_t bytes = 0;
  const Status status = rocks::approximate_size(*store_, store_->records, range.begin, end_of(range), bytes);
  co_await SwitchTo{home};
  if (!status.ok()) co_return rocks::to_error(*store_, status);
  co_return bytes;
}

}  // namespace

Result<std::unique_ptr<storage::Engine>> open_rocksdb_engine(const RocksdbOptions& options) {
  rocks::initialise_rocksdb();
  PARTITA_TRY(std::unique_ptr<rocks::Store> store, rocks::open_store(options));
  auto engine = std::make_unique<RocksdbEngine>(std::move(store), options);
  PARTITA_TRY_VOID(engine->start());
  return std::unique_ptr<storage::Engine>(std::move(engine));
}

}  // namespace partita
