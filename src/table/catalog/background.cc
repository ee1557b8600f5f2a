#include "table/catalog/background.h"

namespace partita::table {

struct Background::SleepAwaiter {
  Background& background;
  Instant until;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) { background.add(until, SuspendedCoroutine::here(handle)); }
  void await_resume() const noexcept {}
};

Background::~Background() { stop(); }

void Background::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

Result<void> Background::start() {
  PARTITA_TRY(thread_, Thread::start("background", [this](const std::stop_token&) { run(); }));
  return {};
}

bool Background::begin(Work work) {
  const MutexLock lock(mutex_);
  if (stopping_) return false;
  fresh_.push_back(std::move(work));
  changed_.notify_one();
  return true;
}

Task<void> Background::sleep(std::chrono::nanoseconds span) {
  SleepAwaiter nap{*this, std::chrono::steady_clock::now() + span};
  co_await nap;
}

void Background::add(Instant until, SuspendedCoroutine sleeper) {
  const MutexLock lock(mutex_);
  sleepers_.emplace(until, sleeper);
  changed_.notify_one();
}

void Background::resume(std::coroutine_handle<> handle) {
  const MutexLock lock(mutex_);
  ready_.push_back({handle, this});
  changed_.notify_one();
}

void Background::end_one() {
  const MutexLock lock(mutex_);
  --under_way_;
  changed_.notify_one();
}

// In turn: work that is ready again and again, or sleeps again and again during a stop, holds up no other.
std::function<void()> Background::next() {
  const Instant now = sleepers_.empty() ? Instant() : std::chrono::steady_clock::now();
  while (!sleepers_.empty() && (stopping_ || sleepers_.begin()->first <= now)) {
    ready_.push_back(sleepers_.begin()->second);
    sleepers_.erase(sleepers_.begin());
  }
  if (!fresh_.empty()) {
    Work work = std::move(fresh_.front());
    fresh_.pop_front();
    ++under_way_;
    return [this, work = std::move(work)] { partita::start(work(), [this] { end_one(); }); };
  }
  if (!ready_.empty()) {
    const SuspendedCoroutine one = ready_.front();
    ready_.pop_front();
    if (one.home == this) return [handle = one.handle] { handle.resume(); };
    return [one] { one.resume(); };
  }
  return nullptr;
}

void Background::run() {
  set_current(this);
  const MutexLock lock(mutex_);
  while (true) {
    if (const std::function<void()> step = next()) {
      mutex_.unlock();
      step();
      mutex_.lock();
      continue;
    }
    if (stopping_ && under_way_ == 0 && sleepers_.empty()) return;
    if (sleepers_.empty()) {
      changed_.wait(mutex_);
    } else {
      const Instant first = sleepers_.begin()->first;
      changed_.wait_until(mutex_, first);
    }
  }
}

}  // namespace partita::table
