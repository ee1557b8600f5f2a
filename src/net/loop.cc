#include "net/loop.h"

#include <algorithm>
#include <cstdint>
#include <thread>

namespace partita::net {

using std::chrono::steady_clock;

void Loop::Async::send() { loop_.queue(*this); }

Loop::Timer::Timer(Loop& loop, std::function<void()> run) : loop_(loop), run_(std::move(run)) {
  loop_.timers_.push_back(this);
}

Loop::Timer::~Timer() { std::erase(loop_.timers_, this); }

void Loop::run() {
  now_ = steady_clock::now();
  while (!stopped_.load(std::memory_order_acquire)) {
    events_.wait(wait_ms());
    sleeping_.store(false, std::memory_order_relaxed);
    while (const std::optional<Edge> edge = events_.next()) {
      static_cast<Watcher*>(edge->owner)->ready(edge->readable, edge->writable, edge->ended);
    }
    run_asyncs();
    run_timers();
  }
  // They may still wake the queue, which is closed next.
  while (waking_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
}

// Precondition: counted in waking_.
void Loop::wake() {
  events_.wake();
  waking_.fetch_sub(1, std::memory_order_release);
}

void Loop::stop() {
  waking_.fetch_add(1, std::memory_order_relaxed);
  stopped_.store(true, std::memory_order_release);
  wake();
}

void Loop::queue(Async& async) {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(async.sent_, true)) return;
    async.next_ = nullptr;
    (first_ == nullptr ? first_ : last_->next_) = &async;
    last_ = &async;
    queued_.store(true);
    if (!sleeping_.exchange(false)) return;
    waking_.fetch_add(1, std::memory_order_relaxed);
  }
  wake();
}

// Not at all if an Async is queued; else until the next timer.
int Loop::wait_ms() {
  std::optional<Time> next;
  for (const Timer* timer : timers_) {
    if (timer->due_ && (!next || *timer->due_ < *next)) next = timer->due_;
  }
  int64_t ms = -1;
  if (next) ms = std::max<int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(*next - now_).count());
  sleeping_.store(true);
  if (!queued_.load()) return static_cast<int>(ms);
  sleeping_.store(false, std::memory_order_relaxed);
  return 0;
}

// Those that are queued by now. What they send runs in the next iteration.
void Loop::run_asyncs() {
  if (!queued_.load(std::memory_order_relaxed)) return;
  mutex_.lock();
  const Async* const last = last_;
  for (bool more = first_ != nullptr; more;) {
    Async& async = *first_;
    more = &async != last;
    first_ = async.next_;
    if (first_ == nullptr) queued_.store(false, std::memory_order_relaxed);
    async.sent_ = false;
    mutex_.unlock();
    async.run_();
    mutex_.lock();
  }
  mutex_.unlock();
}

// Also updates now_, from which the next wait is computed.
void Loop::run_timers() {
  const bool any = std::ranges::any_of(timers_, [](const Timer* timer) { return timer->due_.has_value(); });
  if (!any) return;
  now_ = steady_clock::now();
  for (size_t i = 0; i < timers_.size(); ++i) {
    Timer& timer = *timers_[i];
    if (!timer.due_ || *timer.due_ > now_) continue;
    timer.due_.reset();
    timer.run_();
  }
}

}  // namespace partita::net
