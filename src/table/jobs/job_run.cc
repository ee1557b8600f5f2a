#include "table/jobs/job_run.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace partita::table {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Outcome;
using storage::Record;

constexpr int64_t kNanosPerMs = 1'000'000;

}  // namespace

bool is_claimed(const Key& key, const Record* found, uint64_t claim) {
  if (found == nullptr) return false;
  const auto stored = job_from(key.bytes, found->value);
  return stored.ok() && stored->claim == claim;
}

Task<Result<JobRun::Stored>> JobRun::store(const Job& after, StepWrites extra) {
  const Key key = job_key(after);
  std::vector<Key> keys{key};
  std::ranges::move(extra.keys, std::back_inserter(keys));
  bool lost = false;
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    lost = !is_claimed(key, found[0], after.claim);
    if (lost) return Decision::kRefuse;
    if (extra.decide && extra.decide(found.subspan(1), changes) == Decision::kRefuse) return Decision::kRefuse;
    if (extra.ends) {
      changes.erase(key);
    } else {
      changes.put(key, job_row(after));
    }
    return Decision::kCommit;
  };
  auto outcome = co_await engine().transact(std::move(keys), std::move(extra.compare), decide);
  PARTITA_CO_TRY(const Outcome stored, std::move(outcome));
  if (lost && stored == Outcome::kRefused) co_return Stored::kLost;
  co_return stored == Outcome::kCommitted ? Stored::kDone : Stored::kStale;
}

Task<Result<StepEnd>> JobRun::finish() {
  StepWrites last;
  last.ends = true;
  PARTITA_CO_TRY(const Stored stored, co_await store(job, std::move(last)));
  co_return stored == Stored::kDone ? StepEnd::kDone : StepEnd::kLost;
}

Catalog::AttachedWrite JobRun::attached_write(bool ends, std::function<void(Job& after, const TableInfo& table)> note) {
  Catalog::AttachedWrite attached;
  attached.key = job_key(job);
  attached.apply = [job = job, ends, note = std::move(note)](const Record* found, const TableInfo& table,
                                                             Changes& changes) {
    Job after = job;
    const Key key = job_key(after);
    if (!is_claimed(key, found, after.claim)) return false;
    if (ends) {
      changes.erase(key);
      return true;
    }
    if (note) note(after, table);
    changes.put(key, job_row(after));
    return true;
  };
  return attached;
}

Task<bool> JobRun::wait(int64_t ms) {
  constexpr int64_t kLookMs = 20;  // the injected clock may be moved
  const int64_t due_ns = clock().monotonic_ns() + ms * kNanosPerMs;
  while (!stopping()) {
    const int64_t left_ns = due_ns - clock().monotonic_ns();
    if (left_ns <= 0) break;
    co_await context_.background().sleep(std::min(kLookMs, (left_ns + kNanosPerMs - 1) / kNanosPerMs));
  }
  co_return !stopping();
}

Task<void> JobRun::rest(int64_t began_ns, int64_t times) {
  constexpr int64_t kLongestNs = 1'000 * kNanosPerMs;  // what was waited for may have been the disk
  const int64_t took_ns = clock().monotonic_ns() - began_ns;
  if (took_ns <= 0) {
    co_await pass();
  } else {
    co_await context_.background().sleep(std::chrono::nanoseconds(std::min(times * took_ns, kLongestNs)));
  }
}

}  // namespace partita::table
