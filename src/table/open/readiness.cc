#include "table/open/readiness.h"

#include <atomic>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "base/suspended_coroutine.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

constexpr int64_t kNanosPerMs = 1'000'000;
// As much as a user may write at once: a disk that is nearly full still has room for less.
constexpr size_t kProbeBytes = size_t{8} << 10;

}  // namespace

struct Readiness::State {
  // A probe is waited for until it has ended, or its patience has.
  struct ProbeAwaiter {
    State& state;
    const uint64_t probe;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> handle) const {
      const MutexLock lock(state.mutex);
      if (state.is_known(probe)) return false;
      state.waiters.push_back(SuspendedCoroutine::here(handle));
      return true;
    }
    void await_resume() const noexcept {}
  };

  bool is_known(uint64_t probe) const PARTITA_REQUIRES(mutex) { return ended >= probe || late >= probe; }

  std::atomic<bool> told = false;  // that there is trouble
  Mutex mutex;
  uint64_t begun PARTITA_GUARDED_BY(mutex) = 0;  // probes, one behind the other
  uint64_t ended PARTITA_GUARDED_BY(mutex) = 0;
  uint64_t late PARTITA_GUARDED_BY(mutex) = 0;     // the last one whose patience ended first
  int64_t began_ns PARTITA_GUARDED_BY(mutex) = 0;  // the last one
  std::string trouble PARTITA_GUARDED_BY(mutex);   // of the last that ended
  std::vector<SuspendedCoroutine> waiters PARTITA_GUARDED_BY(mutex);
};

Readiness::Readiness(Random& random, ReadinessOptions options)
    : options_(options),
      row_(system_key(SystemRow::kProbe, std::string(1, static_cast<char>(random.next())))),
      state_(std::make_shared<State>()) {}

Task<void> Readiness::probe(std::shared_ptr<State> state, storage::Engine* engine, storage::Key row) {
  const storage::Decide put = [&row](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put(row, std::string(kProbeBytes, 'p'));
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> no_keys;
  std::vector<storage::Compare> no_compare;
  const auto written = co_await engine->transact(std::move(no_keys), std::move(no_compare), put);
  std::vector<SuspendedCoroutine> waiters;
  {
    const MutexLock lock(state->mutex);
    state->ended = state->begun;
    state->trouble = written.ok() ? std::string() : std::string(written.error().sentence());
    if (!written.ok() && state->trouble.empty()) state->trouble = "The store takes no writes.";
    waiters.swap(state->waiters);
  }
  for (const SuspendedCoroutine& waiter : waiters) waiter.resume();
}

Task<void> Readiness::lose_patience(std::shared_ptr<State> state, Background* background, int64_t ms, uint64_t probe) {
  co_await background->sleep(ms);
  std::vector<SuspendedCoroutine> waiters;
  {
    const MutexLock lock(state->mutex);
    if (state->ended >= probe) co_return;
    state->late = probe;
    waiters.swap(state->waiters);
  }
  for (const SuspendedCoroutine& waiter : waiters) waiter.resume();
}

Task<std::string> Readiness::trouble(TableContext& context) {
  std::string why = co_await judge(context);
  const bool turned = state_->told.exchange(!why.empty()) == why.empty();
  if (turned && why.empty()) log(LogLevel::kInfo, "Ready again: the store takes writes.");
  if (turned && !why.empty()) log(LogLevel::kError, {"Not ready: ", why});
  co_return why;
}

Task<std::string> Readiness::judge(TableContext& context) {
  const auto healthy = context.engine().health();
  if (!healthy.ok()) co_return std::string(healthy.error().sentence());
  Background& background = context.background();
  uint64_t awaited = 0;
  {
    const MutexLock lock(state_->mutex);
    const int64_t now_ns = context.clock().monotonic_ns();
    if (state_->ended == state_->begun) {
      const bool fresh = state_->begun > 0 && now_ns - state_->began_ns < options_.fresh_ms * kNanosPerMs;
      if (fresh) co_return state_->trouble;
      const uint64_t next = state_->begun + 1;
      const bool taken = background.begin([state = state_, engine = &context.engine(), row = row_] {
        return probe(state, engine, row);
      }) && background.begin([state = state_, &background, ms = options_.patience_ms, next] {
        return lose_patience(state, &background, ms, next);
      });
      if (!taken) co_return std::string("The server is stopping.");
      state_->begun = next;
      state_->began_ns = now_ns;
    }
    awaited = state_->begun;
  }
  co_await State::ProbeAwaiter{*state_, awaited};
  const auto healthy_now = context.engine().health();
  const MutexLock lock(state_->mutex);
  if (state_->ended >= awaited) co_return state_->trouble;
  if (!healthy_now.ok()) co_return std::string(healthy_now.error().sentence());
  const int64_t waited_s = (context.clock().monotonic_ns() - state_->began_ns) / (1'000 * kNanosPerMs);
  co_return "The store has not answered a small write for " + std::to_string(waited_s) + " s.";
}

}  // namespace partita::table
