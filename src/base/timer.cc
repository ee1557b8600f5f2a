#include "base/timer.h"

#include <vector>

namespace partita {

struct Timer::Nap {
  Timer& timer;
  Instant until;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) { timer.add(until, {handle, Executor::current()}); }
  void await_resume() const noexcept {}
};

Timer::Timer() : thread_([this](std::stop_token stop) { run(stop); }) {}

Timer::~Timer() {
  thread_.request_stop();
  thread_.join();
}

Task<void> Timer::sleep(int64_t ms) {
  Nap nap{*this, std::chrono::steady_clock::now() + std::chrono::milliseconds(ms)};
  co_await nap;
}

void Timer::add(Instant until, Sleeper sleeper) {
  std::lock_guard lock(mutex_);
  sleepers_.emplace(until, sleeper);
  changed_.notify_one();
}

void Timer::run(std::stop_token stop) {
  while (true) {
    std::vector<Sleeper> due;
    {
      std::unique_lock lock(mutex_);
      if (!stop.stop_requested() && sleepers_.empty()) {
        changed_.wait(lock, stop, [this] { return !sleepers_.empty(); });
      } else if (!stop.stop_requested()) {
        const Instant first = sleepers_.begin()->first;
        changed_.wait_until(lock, stop, first, [&] { return sleepers_.begin()->first < first; });
      }
      const bool all = stop.stop_requested();
      const Instant now = std::chrono::steady_clock::now();
      while (!sleepers_.empty() && (all || sleepers_.begin()->first <= now)) {
        due.push_back(sleepers_.begin()->second);
        sleepers_.erase(sleepers_.begin());
      }
      if (all && due.empty()) return;
    }
    for (const Sleeper& sleeper : due) resume_on(sleeper.executor, sleeper.handle);
  }
}

}  // namespace partita
