// What one thread waits for: sockets, times, and calls that others ask it for. Built on epoll, edge-triggered: a socket
// is registered once, and costs no system call whenever it is waited for again.
//
//   Loop loop;
//   Loop::Call greet(loop, [] { ... });   // greet.ask() from any thread
//   Loop::Timer sweep(loop, [] { ... });  // sweep.start(250ms) on the loop's thread
//   loop.watch(fd, watch);                // watch.ready() at each edge
//   loop.run();                           // until loop.end()
//
// Everything but ask() and end() is for the loop's thread, or for before run().
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace partita::net {

class Loop {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Of one file descriptor. Told of each edge: whoever is must go on until the descriptor would block, or remember that
  // it did not. `ended`: the other side sends no more, or the connection is broken; there is no further edge for that.
  class Watch {
   public:
    // May end any watch, this one too.
    virtual void ready(bool readable, bool writable, bool ended) = 0;

   protected:
    ~Watch() = default;
  };

  // A call that can always be asked for, because it takes no memory. Outlives the loop's run().
  class Call {
   public:
    Call(Loop& loop, std::function<void()> run) : loop_(loop), run_(std::move(run)) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // `run` will be called on the loop's thread, once for all that asked before it begins. Callable from any thread.
    // Asked for by a call, it comes after everything that is ready by then.
    void ask();

   private:
    friend class Loop;
    Loop& loop_;
    std::function<void()> run_;
    Call* behind_ = nullptr;  // in the loop's queue
    bool asked_ = false;
  };

  // One moment that is waited for.
  class Timer {
   public:
    Timer(Loop& loop, std::function<void()> run);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    // In place of the moment that it waits for, if it does.
    void start(std::chrono::milliseconds from_now) { due_ = std::chrono::steady_clock::now() + from_now; }
    void cancel() { due_.reset(); }

   private:
    friend class Loop;
    Loop& loop_;
    std::function<void()> run_;
    std::optional<Time> due_;
  };

  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // 0, or why the system had no descriptors for it, as errno says it: nothing but its end may follow then.
  int trouble() const { return trouble_; }

  // From now on; the first edge comes at once if there is anything. False: the system has no room for it.
  [[nodiscard]] bool watch(int fd, Watch& watch);
  // Before the descriptor is closed. Nothing that already happened is told any more.
  void unwatch(int fd, Watch& watch);

  // Whether more was ready at the same time as what it is being told.
  bool is_telling() const { return !untold_.empty(); }

  void run();
  // run() returns soon, or at once when it is begun later.
  void end();

 private:
  static constexpr size_t kAtOnce = 128;

  void wake();
  void queue(Call& call);
  int patience_ms();
  void tell(const epoll_event& event);
  void run_calls();
  void run_timers();

  int trouble_ = 0;
  int epoll_;
  int wakeup_ = -1;  // an eventfd: each write is an edge
  std::array<epoll_event, kAtOnce> events_;
  std::span<epoll_event> untold_;  // those of the last wait that were not told yet
  std::vector<Timer*> timers_;
  Time now_;  // as of the last turn that waited for a time
  std::atomic<bool> ended_{false};
  std::atomic<int> waking_{0};  // how many write to wakeup_ without the lock; run() returns when they are done

  std::mutex mutex_;  // of what follows
  Call* first_ = nullptr;
  Call* last_ = nullptr;
  std::atomic<bool> sleeping_{false};  // it must be woken for a call; set with the lock held
};

}  // namespace partita::net
