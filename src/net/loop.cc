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

void Loop::Async::send() { loop_.queue(*this); }

Loop::Timer::Timer(Loop& loop, std::function<void()> run) : loop_(loop), run_(std::move(run)) {
  loop_.timers_.push_back(this);
}

Loop::Timer::~Timer() { std::erase(loop_.timers_, this); }

Loop::Loop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ >= 0) wakeup_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = nullptr;
  if (wakeup_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, wakeup_, &event) != 0) error_ = errno;
}

Loop::~Loop() {
  if (wakeup_ >= 0) ::close(wakeup_);
  if (epoll_ >= 0) ::close(epoll_);
}

bool Loop::watch(int fd, Watcher& watcher) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &watcher;
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0;
}

void Loop::unwatch(int fd, Watcher& watcher) {
  epoll_event ignored{};
  epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, &ignored);
  for (epoll_event& event : undelivered_) {
    if (event.data.ptr == &watcher) event.data.ptr = nullptr;
  }
}

void Loop::run() {
  now_ = steady_clock::now();
  while (!stopped_.load(std::memory_order_acquire)) {
    const int count = epoll_wait(epoll_, events_.data(), kAtOnce, wait_ms());
    PARTITA_CHECK(count >= 0 || errno == EINTR);
    sleeping_.store(false, std::memory_order_relaxed);
    undelivered_ = std::span(events_).first(static_cast<size_t>(std::max(count, 0)));
    while (!undelivered_.empty()) {
      const epoll_event event = undelivered_.front();
      undelivered_ = undelivered_.subspan(1);
      dispatch(event);
    }
    run_asyncs();
    run_timers();
  }
  // They may still write to the descriptor, which is closed next.
  while (waking_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
}

void Loop::dispatch(const epoll_event& event) {
  if (event.data.ptr == nullptr) return;
  const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  const bool ended = broken || (event.events & EPOLLRDHUP) != 0;
  static_cast<Watcher*>(event.data.ptr)
      ->ready(ended || (event.events & EPOLLIN) != 0, broken || (event.events & EPOLLOUT) != 0, ended);
}

// Precondition: counted in waking_.
void Loop::wake() {
  const uint64_t one = 1;
  static_cast<void>(!::write(wakeup_, &one, sizeof one));
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
