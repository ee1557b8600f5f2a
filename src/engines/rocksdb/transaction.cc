#include "engines/rocksdb/transaction.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"
#include "engines/rocksdb/reads.h"

namespace partita::rocks {

namespace {

using namespace storage;
using rocksdb::Status;
using Verdict = Committer::Verdict;

enum class Step : uint8_t { kEnded, kAgain, kNeedsDisk, kNeedsRoom };

// Memory for the lists of an ordinary transaction, which are short; longer ones go to the heap.
template <size_t kBytes>
struct Arena {
  alignas(std::max_align_t) std::array<std::byte, kBytes> bytes;
  std::pmr::monotonic_buffer_resource resource{bytes.data(), bytes.size()};
};

using Stripes = std::pmr::vector<uint32_t>;

// A transaction's view of its keys: what `found` points at lives in `seen`.
struct View {
  struct Seen {
    std::shared_ptr<const Newest> newest;
    std::optional<Record> stored;
  };
  View(size_t keys, std::pmr::memory_resource* memory) : seen(keys, memory), found(keys, memory) {}

  std::pmr::vector<Seen> seen;
  std::pmr::vector<const Record*> found;
  bool saw_pending = false;
};

void add_stripes(Stripes& stripes, std::span<const uint32_t> more) {
  stripes.insert(stripes.end(), more.begin(), more.end());
  std::sort(stripes.begin(), stripes.end());
  stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
}

// One transaction under way, in the frame of transact().
class Attempt {
 private:
  Arena<128> arena_;  // of what follows

 public:
  Attempt(Shared& shared, std::span<const Key> keys, std::span<const Compare> compare, const Decide& decide);
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  // Memory may have run out anywhere. `held` looks at latched_, which goes before it.
  ~Attempt() {
    held.release();
    shared_.committer.give_back(commit);
  }

  // With the latches of stripes().
  Step run(ReadTier tier);

  std::span<const uint32_t> stripes() const { return latched_; }

  Commit commit{&arena_.resource};
  Latches::Held held;
  Outcome outcome = Outcome::kRefused;
  Result<void> failure;  // instead of an outcome
  Version version{};     // of what it writes
  bool queued = false;

 private:
  Step fail(const Status& status);
  Status look(const Key& key, uint64_t hash, ReadTier tier, View& view, size_t i);
  Status watch(ReadTier tier, uint64_t era);
  bool latch_writes(std::span<const std::shared_ptr<Newest>> writes, std::pmr::memory_resource* memory);
  void fill_commit(Changes& changes);
  Step queue(bool must_wait, uint64_t era);

  Shared& shared_;
  const std::span<const Key> keys_;
  const std::span<const Compare> compare_;
  const Decide& decide_;
  std::pmr::vector<uint64_t> hashes_;  // of each key
  Stripes latched_;
  bool watches_ = false;  // the compared keys are latched too, to be looked at
};

Attempt::Attempt(Shared& shared, std::span<const Key> keys, std::span<const Compare> compare, const Decide& decide)
    : held(shared.latches),
      shared_(shared),
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

Step Attempt::fail(const Status& status) {
  if (status.IsIncomplete()) return Step::kNeedsDisk;
  failure = to_error(shared_.store, status);
  return Step::kEnded;
}

// The store second: what leaves the table is in the store already.
Status Attempt::look(const Key& key, uint64_t hash, ReadTier tier, View& view, size_t i) {
  auto& [newest, stored] = view.seen[i];
  Status status;
  bool pending = false;
  newest = shared_.newest.find(key.bytes, hash, pending);
  if (newest == nullptr) status = read_record(shared_.store, key, tier, stored);
  view.saw_pending |= pending;
  const std::optional<Record>& record = newest != nullptr ? newest->record : stored;
  view.found[i] = record ? &*record : nullptr;
  return status;
}

// The first transaction that compares a key looks it up for all that come later.
Status Attempt::watch(ReadTier tier, uint64_t era) {
  for (const Compare& one : compare_) {
    View view(1, std::pmr::get_default_resource());
    if (Status status = look(one.key, hash64(one.key.bytes), tier, view, 0); !status.ok()) return status;
    const Record* const record = view.found[0];
    shared_.committer.watch(one.key.bytes, record != nullptr ? std::optional(record->version) : std::nullopt, era);
  }
  return Status::OK();
}

// False: everything has to be done again, with more latches.
bool Attempt::latch_writes(std::span<const std::shared_ptr<Newest>> writes, std::pmr::memory_resource* memory) {
  Stripes distinct(memory);
  distinct.reserve(writes.size());
  for (const auto& write : writes) distinct.push_back(Latches::stripe_of(write->hash));
  add_stripes(distinct, {});
  if (held.try_extend(distinct)) return true;
  held.release();
  add_stripes(latched_, distinct);
  return false;
}

void Attempt::fill_commit(Changes& changes) {
  PARTITA_CHECK(commit.is_barrier());
  commit.writes.reserve(changes.writes().size());
  version = shared_.committer.draw_version();
  for (Changes::Write& write : changes.writes()) {
    auto newest = std::make_shared<Newest>();
    newest->key = std::move(write.key.bytes);
    if (write.value) newest->record.emplace(Record{std::move(*write.value), version});
    newest->hash = hash64(newest->key);
    commit.writes.push_back(std::move(newest));
  }
  std::ranges::move(changes.appends(), std::back_inserter(commit.appends));
}

// `must_wait`: the answer rests on records that are not durable yet, so that it waits for them too.
Step Attempt::queue(bool must_wait, uint64_t era) {
  const bool queues = must_wait || !commit.is_barrier();
  Verdict verdict = queues ? shared_.committer.enqueue(commit, compare_, era) : shared_.committer.check(compare_, era);
  if (verdict == Verdict::kPasses) {
    queued = queues;
    return Step::kEnded;
  }
  commit.clear();
  if (verdict == Verdict::kFull) return Step::kNeedsRoom;
  if (verdict == Verdict::kOutdated) return Step::kAgain;
  if (verdict == Verdict::kRefused) return Step::kEnded;
  if (verdict == Verdict::kUnwatched) {
    std::vector<uint32_t> more;
    for (const Compare& one : compare_) more.push_back(Latches::stripe_of(hash64(one.key.bytes)));
    held.release();
    add_stripes(latched_, more);
    watches_ = true;
    return Step::kAgain;
  }
  // Whoever is told reads what differs, so that has to be durable.
  outcome = Outcome::kStale;
  queued = shared_.committer.enqueue_barrier(commit) == Verdict::kPasses;
  return Step::kEnded;
}

Step Attempt::run(ReadTier tier) {
  const uint64_t era = shared_.committer.era();
  Arena<1024> arena;
  View view(keys_.size(), &arena.resource);
  if (watches_) {
    if (Status status = watch(tier, era); !status.ok()) return fail(status);
  }
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (Status status = look(keys_[i], hashes_[i], tier, view, i); !status.ok()) return fail(status);
  }
  Changes changes(&arena.resource);
  outcome = decide_(view.found, changes) == Decision::kCommit ? Outcome::kCommitted : Outcome::kRefused;
  if (outcome == Outcome::kRefused) changes.clear();
  failure = check_changes(kLimits, changes);
  if (!failure.ok()) return Step::kEnded;
  fill_commit(changes);
  if (!latch_writes(commit.writes, &arena.resource)) return commit.clear(), Step::kAgain;
  // Absence may be a pending erasure.
  const bool absent = std::ranges::any_of(compare_, [](const Compare& one) { return !one.version; });
  return queue(view.saw_pending || absent, era);
}

}  // namespace

Task<Result<Outcome>> transact(Shared shared, std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                               Version* version) {
  Executor* const home = Executor::current();
  PARTITA_CO_TRY_VOID(shared.committer.health());
  PARTITA_CO_TRY_VOID(check_keys(kLimits, keys, compare));
  PARTITA_CHECK(are_distinct(keys));
  Attempt attempt(shared, keys, compare, decide);
  attempt.commit.executor = home != nullptr ? home : &shared.workers;
  Meters& meters = shared.meters;
  bool warm = true;
  ReadTier tier = kInMemory;
  Step step = shared.committer.is_full() ? Step::kNeedsRoom : Step::kAgain;
  while (step != Step::kEnded) {
    if (step == Step::kNeedsRoom) {
      co_await shared.committer.room(attempt.commit);
      tier = kInMemory;  // it may be at home again
    }
    if (step == Step::kNeedsDisk) {
      tier = kFromDisk;
      co_await shared.workers.enter();
      // Read once without latches, so that they are hardly ever held while the disk is waited for.
      std::vector<std::optional<Record>> warmed;
      const int64_t began_ns = system_clock().monotonic_ns();
      read_records(shared.store, keys, tier, warmed).PermitUncheckedError();
      meters.disk_reads.add(static_cast<uint64_t>(system_clock().monotonic_ns() - began_ns));
      warm = false;
    }
    Executor& here = tier == kFromDisk ? shared.workers : *attempt.commit.executor;
    co_await attempt.held.lock(attempt.stripes(), here);
    step = attempt.run(tier);
    attempt.held.release();
  }
  if (warm && !keys.empty()) meters.memory_reads.add();
  if (attempt.queued) co_await attempt.commit;
  co_await SwitchTo{home};
  PARTITA_CO_TRY_VOID(std::move(attempt.failure));
  PARTITA_CO_TRY_VOID(shared.committer.outcome_of(attempt.commit));
  if (attempt.outcome == Outcome::kCommitted && version != nullptr) *version = attempt.version;
  co_return attempt.outcome;
}

}  // namespace partita::rocks
