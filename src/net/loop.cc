#include "net/loop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <thread>

#include "base/check.h"

namespace partita::net {

using std::chrono::steady_clock;

void Loop::Call::ask() { loop_.queue(*this); }

Loop::Timer::Timer(Loop& loop, std::function<void()> run) : loop_(loop), run_(std::move(run)) {
  loop_.timers_.push_back(this);
}

Loop::Timer::~Timer() { std::erase(loop_.timers_, this); }

Loop::Loop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ >= 0) wakeup_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = nullptr;
  if (wakeup_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, wakeup_, &event) != 0) trouble_ = errno;
}

Loop::~Loop() {
  if (wakeup_ >= 0) ::close(wakeup_);
  if (epoll_ >= 0) ::close(epoll_);
}

bool Loop::watch(int fd, Watch& watch) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &watch;
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0;
}

void Loop::unwatch(int fd, Watch& watch) {
  epoll_event ignored{};
  epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, &ignored);
  for (epoll_event& event : untold_) {
    if (event.data.ptr == &watch) event.data.ptr = nullptr;
  }
}

void Loop::run() {
  now_ = steady_clock::now();
  while (!ended_.load(std::memory_order_acquire)) {
    const int count = epoll_wait(epoll_, events_.data(), kAtOnce, patience_ms());
    PARTITA_CHECK(count >= 0 || errno == EINTR);
    sleeping_.store(false, std::memory_order_relaxed);
    untold_ = std::span(events_).first(static_cast<size_t>(std::max(count, 0)));
    while (!untold_.empty()) {
      const epoll_event event = untold_.front();
      untold_ = untold_.subspan(1);
      tell(event);
    }
    run_calls();
    run_timers();
  }
  // The loop may have been awake by itself, and what it did for them was the last that it does.
  while (waking_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
}

void Loop::tell(const epoll_event& event) {
  if (event.data.ptr == nullptr) return;
  const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  const bool ended = broken || (event.events & EPOLLRDHUP) != 0;
  static_cast<Watch*>(event.data.ptr)
      ->ready(ended || (event.events & EPOLLIN) != 0, broken || (event.events & EPOLLOUT) != 0, ended);
}

// Precondition: counted in waking_.
void Loop::wake() {
  const uint64_t one = 1;
  static_cast<void>(!::write(wakeup_, &one, sizeof one));
  waking_.fetch_sub(1, std::memory_order_release);
}

void Loop::end() {
  waking_.fetch_add(1, std::memory_order_relaxed);
  ended_.store(true, std::memory_order_release);
  wake();
}

void Loop::queue(Call& call) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(call.asked_, true)) return;
    call.behind_ = nullptr;
    (first_ == nullptr ? first_ : last_->behind_) = &call;
    last_ = &call;
    if (!sleeping_.exchange(false, std::memory_order_relaxed)) return;
    waking_.fetch_add(1, std::memory_order_relaxed);
  }
  wake();
}

// How long to wait: not at all when calls are asked for, and until the next moment that a timer waits for.
int Loop::patience_ms() {
  std::optional<Time> next;
  for (const Timer* timer : timers_) {
    if (timer->due_ && (!next || *timer->due_ < *next)) next = timer->due_;
  }
  int64_t ms = -1;
  if (next) ms = std::max<int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(*next - now_).count());
  const std::lock_guard lock(mutex_);
  if (first_ != nullptr) return 0;
  sleeping_.store(true, std::memory_order_relaxed);
  return static_cast<int>(ms);
}

// Those that were asked for by now; what they ask for has its turn behind what becomes ready.
void Loop::run_calls() {
  std::unique_lock lock(mutex_);
  const Call* const last = last_;
  for (bool more = first_ != nullptr; more;) {
    Call& call = *first_;
    more = &call != last;
    first_ = call.behind_;
    call.asked_ = false;
    lock.unlock();
    call.run_();
    lock.lock();
  }
}

// And tells the time, by which the next wait is measured.
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
