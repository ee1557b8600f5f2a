// The event loop of one thread: sockets, timers, and calls that other threads send. Edge-triggered: a socket is
// registered once, and waiting for it again costs no system call.
//
//   Loop loop;
//   Loop::Async greet(loop, [] { ... });  // greet.send() from any thread
//   Loop::Timer sweep(loop, [] { ... });  // sweep.start(250ms) on the loop's thread
//   loop.watch(fd, watcher);              // watcher.ready() at each edge
//   loop.run();                           // until loop.stop()
//
// Threads: send() and stop() may be called from any thread; everything else from the loop's, or before run().
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "net/event_queue.h"

namespace partita::net {

class Loop {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Of one file descriptor.
  class Watcher {
   public:
    // Called at each edge: read or write until the descriptor would block, or remember that it may be ready still.
    // `ended`: the peer sends no more, or the connection is broken; no further edge will tell. May unwatch any
    // descriptor, also its own.
    virtual void ready(bool readable, bool writable, bool ended) = 0;

   protected:
    ~Watcher() = default;
  };

  // A call on the loop's thread that other threads request. Sending it takes no memory, so it cannot fail. Outlives the
  // loop's run().
  class Async {
   public:
    Async(Loop& loop, std::function<void()> run) : loop_(loop), run_(std::move(run)) {}
    Async(const Async&) = delete;
    Async& operator=(const Async&) = delete;

    // `run` will be called once for all that is sent before it begins. Sent from the loop's thread, it is called after
    // everything that is ready by then.
    void send();

   private:
    friend class Loop;
    Loop& loop_;
    std::function<void()> run_;
    // Guarded by the loop's mutex.
    Async* next_ = nullptr;  // in its queue
    bool sent_ = false;
  };

  // One-shot.
  class Timer {
   public:
    Timer(Loop& loop, std::function<void()> run);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    // Replaces an earlier start.
    void start(std::chrono::milliseconds from_now) { due_ = std::chrono::steady_clock::now() + from_now; }
    void cancel() { due_.reset(); }

   private:
    friend class Loop;
    Loop& loop_;
    std::function<void()> run_;
    std::optional<Time> due_;
  };

  Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // 0, or the errno with which the system refused it descriptors: then only its destructor may be called.
  int error() const { return events_.error(); }

  // If the descriptor is ready already, the first edge follows at once. False: the system refuses, errno says why.
  [[nodiscard]] bool watch(int fd, Watcher& watcher) { return events_.add(fd, &watcher); }
  // Call it before the descriptor is closed. Edges that were not delivered yet are dropped.
  void unwatch(int fd, Watcher& watcher) { events_.remove(fd, &watcher); }

  // Whether other descriptors became ready together with the one whose event is being delivered.
  bool has_more_events() const { return events_.has_more(); }

  void run();
  // run() returns soon, or at once if it is called later.
  void stop();

 private:
  void wake();
  void queue(Async& async);
  int wait_ms();
  void run_asyncs();
  void run_timers();

  EventQueue events_;
  std::vector<Timer*> timers_;
  Time now_;  // as of the last iteration with a timer
  std::atomic<bool> stopped_{false};
  std::atomic<int> waking_{0};  // threads that wake the queue without the lock; run() returns when they are done

  Mutex mutex_;
  Async* first_ PARTITA_GUARDED_BY(mutex_) = nullptr;
  Async* last_ PARTITA_GUARDED_BY(mutex_) = nullptr;
  // Each side sets its own and then reads the other's, so that none waits for the other.
  std::atomic<bool> queued_{false};    // there is an Async in the queue
  std::atomic<bool> sleeping_{false};  // it must be woken for an Async
};

}  // namespace partita::net
