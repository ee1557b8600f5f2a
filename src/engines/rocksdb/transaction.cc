#include "engines/rocksdb/transaction.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"
#include "engines/rocksdb/reads.h"

namespace partita::rocks {

namespace {

using namespace storage;
using rocksdb::Status;
using EnqueueStatus = Committer::EnqueueStatus;

enum class RunStep : uint8_t { kEnded, kAgain, kNeedsDisk, kNeedsRoom };

// Memory for the lists of an ordinary transaction, which are short; longer ones go to the heap.
template <size_t kBytes>
struct Arena {
  alignas(std::max_align_t) std::array<std::byte, kBytes> bytes;
  std::pmr::monotonic_buffer_resource resource{bytes.data(), bytes.size()};
};

using Stripes = std::pmr::vector<uint32_t>;

// A transaction's view of its keys: what `found` points at lives in `seen`.
struct FoundRecords {
  struct FoundRecord {
    std::shared_ptr<const CachedRecord> cached;
    std::optional<Record> stored;
  };
  FoundRecords(size_t keys, std::pmr::memory_resource* memory) : seen(keys, memory), found(keys, memory) {}

  std::pmr::vector<FoundRecord> seen;
  std::pmr::vector<const Record*> found;
  bool saw_pending = false;
};

void add_stripes(Stripes& stripes, std::span<const uint32_t> more) {
  stripes.insert(stripes.end(), more.begin(), more.end());
  std::sort(stripes.begin(), stripes.end());
  stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
}

// One transaction under way, in the frame of transact().
class TransactionRun {
 private:
  Arena<128> arena_;  // of what follows

 public:
  TransactionRun(TransactionContext& context, std::span<const Key> keys, std::span<const Compare> compare,
                 const Decide& decide);
  TransactionRun(const TransactionRun&) = delete;
  TransactionRun& operator=(const TransactionRun&) = delete;
  // Memory may have run out anywhere. `held` looks at latched_, which goes before it.
  ~TransactionRun() {
    held.release();
    context_.committer.give_back(commit);
  }

  // With the latches of stripes().
  RunStep run(ReadTier tier);

  std::span<const uint32_t> stripes() const { return latched_; }

  Commit commit{&arena_.resource};
  Latches::Held held;
  Outcome outcome = Outcome::kRefused;
  Result<void> failure;  // instead of an outcome
  Version version{};     // of what it writes
  bool queued = false;

 private:
  RunStep fail(const Status& status);
  Status look(const Key& key, uint64_t hash, ReadTier tier, FoundRecords& records, size_t i);
  Status watch(ReadTier tier, uint64_t generation);
  bool latch_writes(std::span<const std::shared_ptr<CachedRecord>> writes, std::pmr::memory_resource* memory);
  void fill_commit(Changes& changes);
  RunStep queue(bool must_wait, uint64_t generation);

  TransactionContext& context_;
  const std::span<const Key> keys_;
  const std::span<const Compare> compare_;
  const Decide& decide_;
  std::pmr::vector<uint64_t> hashes_;  // of each key
  Stripes latched_;
  bool watched_ = false;  // the compared keys are latched too, to be looked at
};

TransactionRun::TransactionRun(TransactionContext& context, std::span<const Key> keys, std::span<const Compare> compare,
                               const Decide& decide)
    : held(context.latches),
      context_(context),
      keys_(keys),
      compare_(compare),
      decide_(decide),
      hashes_(&arena_.resource),
      latched_(&arena_.resource) {
  hashes_.reserve(keys.size());
  latched_.reserve(keys.size());
  for (const Key& key : keys) {
    hashes_.push_back(hash64(key.bytes));
    latched_.push_back(Latches::stripe_of(hashes_.back()));
  }
  add_stripes(latched_, {});
}

RunStep TransactionRun::fail(const Status& status) {
  if (status.IsIncomplete()) return RunStep::kNeedsDisk;
  failure = to_error(context_.store, status);
  return RunStep::kEnded;
}

// The store second: what leaves the table is in the store already.
Status TransactionRun::look(const Key& key, uint64_t hash, ReadTier tier, FoundRecords& records, size_t i) {
  auto& [cached, stored] = records.seen[i];
  Status status;
  bool pending = false;
  cached = context_.cached.find(key.bytes, hash, pending);
  if (cached == nullptr) status = read_record(context_.store, key, tier, stored);
  records.saw_pending |= pending;
  const std::optional<Record>& record = cached != nullptr ? cached->record : stored;
  records.found[i] = record ? &*record : nullptr;
  return status;
}

// The first transaction that compares a key looks it up for all that come later.
Status TransactionRun::watch(ReadTier tier, uint64_t generation) {
  for (const Compare& one : compare_) {
    FoundRecords records(1, std::pmr::get_default_resource());
    if (Status status = look(one.key, hash64(one.key.bytes), tier, records, 0); !status.ok()) return status;
    const Record* const record = records.found[0];
    context_.committer.watch(one.key.bytes, record != nullptr ? std::optional(record->version) : std::nullopt,
                             generation);
  }
  return Status::OK();
}

// False: everything has to be done again, with more latches.
bool TransactionRun::latch_writes(std::span<const std::shared_ptr<CachedRecord>> writes,
                                  std::pmr::memory_resource* memory) {
  Stripes distinct(memory);
  distinct.reserve(writes.size());
  for (const auto& write : writes) distinct.push_back(Latches::stripe_of(write->hash));
  add_stripes(distinct, {});
  if (held.try_extend(distinct)) return true;
  held.release();
  add_stripes(latched_, distinct);
  return false;
}

void TransactionRun::fill_commit(Changes& changes) {
  PARTITA_CHECK(commit.is_barrier());
  commit.writes.reserve(changes.writes().size());
  version = context_.committer.draw_version();
  for (Changes::Write& write : changes.writes()) {
    auto cached = std::make_shared<CachedRecord>();
    cached->key = std::move(write.key.bytes);
    if (write.value) cached->record.emplace(Record{std::move(*write.value), version});
    cached->hash = hash64(cached->key);
    commit.writes.push_back(std::move(cached));
  }
  std::ranges::move(changes.appends(), std::back_inserter(commit.appends));
}

// `must_wait`: the answer rests on records that are not durable yet, so that it waits for them too.
RunStep TransactionRun::queue(bool must_wait, uint64_t generation) {
  const bool queues = must_wait || !commit.is_barrier();
  EnqueueStatus status = queues ? context_.committer.enqueue(commit, compare_, generation)
                                : context_.committer.check(compare_, generation);
  if (status == EnqueueStatus::kPasses) {
    queued = queues;
    return RunStep::kEnded;
  }
  commit.clear();
  if (status == EnqueueStatus::kFull) return RunStep::kNeedsRoom;
  if (status == EnqueueStatus::kOutdated) return RunStep::kAgain;
  if (status == EnqueueStatus::kRefused) return RunStep::kEnded;
  if (status == EnqueueStatus::kUnwatched) {
    std::vector<uint32_t> more;
    for (const Compare& one : compare_) more.push_back(Latches::stripe_of(hash64(one.key.bytes)));
    held.release();
    add_stripes(latched_, more);
    watched_ = true;
    return RunStep::kAgain;
  }
  // The caller then reads the differing records, so they must be durable.
  outcome = Outcome::kStale;
  queued = context_.committer.enqueue_barrier(commit) == EnqueueStatus::kPasses;
  return RunStep::kEnded;
}

RunStep TransactionRun::run(ReadTier tier) {
  const uint64_t generation = context_.committer.generation();
  Arena<1024> arena;
  FoundRecords records(keys_.size(), &arena.resource);
  if (watched_) {
    if (Status status = watch(tier, generation); !status.ok()) return fail(status);
  }
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (Status status = look(keys_[i], hashes_[i], tier, records, i); !status.ok()) return fail(status);
  }
  Changes changes(&arena.resource);
  outcome = decide_(records.found, changes) == Decision::kCommit ? Outcome::kCommitted : Outcome::kRefused;
  if (outcome == Outcome::kRefused) changes.clear();
  failure = check_changes(kLimits, changes);
  if (!failure.ok()) return RunStep::kEnded;
  fill_commit(changes);
  if (!latch_writes(commit.writes, &arena.resource)) return commit.clear(), RunStep::kAgain;
  // Absence may be a pending erasure.
  const bool absent = std::ranges::any_of(compare_, [](const Compare& one) { return !one.version; });
  return queue(records.saw_pending || absent, generation);
}

}  // namespace

Task<Result<Outcome>> transact(TransactionContext context, std::vector<Key> keys, std::vector<Compare> compare,
                               Decide decide, Version* version) {
  Executor* const home = Executor::current();
  PARTITA_CO_TRY_VOID(context.committer.health());
  PARTITA_CO_TRY_VOID(check_keys(kLimits, keys, compare));
  PARTITA_CHECK(are_distinct(keys));
  TransactionRun run(context, keys, compare, decide);
  run.commit.executor = home != nullptr ? home : &context.workers;
  Meters& meters = context.meters;
  bool warm = true;
  ReadTier tier = kInMemory;
  RunStep step = context.committer.is_full() ? RunStep::kNeedsRoom : RunStep::kAgain;
  while (step != RunStep::kEnded) {
    if (step == RunStep::kNeedsRoom) {
      co_await context.committer.room(run.commit);
      tier = kInMemory;  // it may be at home again
    }
    if (step == RunStep::kNeedsDisk) {
      tier = kFromDisk;
      co_await context.workers.enter();
      // Read once without latches, so that they are hardly ever held while the disk is waited for.
      std::vector<std::optional<Record>> warmed;
      const int64_t began_ns = system_clock().monotonic_ns();
      read_records(context.store, keys, tier, warmed).PermitUncheckedError();
      meters.disk_reads.add(static_cast<uint64_t>(system_clock().monotonic_ns() - began_ns));
      warm = false;
    }
    Executor& here = tier == kFromDisk ? context.workers : *run.commit.executor;
    co_await run.held.lock(run.stripes(), here);
    step = run.run(tier);
    run.held.release();
  }
  if (warm && !keys.empty()) meters.memory_reads.add();
  if (run.queued) co_await run.commit;
  co_await SwitchTo{home};
  PARTITA_CO_TRY_VOID(std::move(run.failure));
  PARTITA_CO_TRY_VOID(context.committer.outcome_of(run.commit));
  if (run.outcome == Outcome::kCommitted && version != nullptr) *version = run.version;
  co_return run.outcome;
}

}  // namespace partita::rocks
