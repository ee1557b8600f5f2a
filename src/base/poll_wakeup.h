// Ends a poll() of one thread from other threads.
//
//   PARTITA_TRY(wakeup_, PollWakeup::open());   // once
//   pollfd events[] = {{wakeup_.descriptor(), POLLIN, 0}, ...};
//   poll(events, ...);                           // returns once another thread has called wakeup_.wake()
//   if (events[0].revents != 0) wakeup_.clear();
#pragma once

#include "base/result.h"

namespace partita {

class PollWakeup {
 public:
  // Without a descriptor: only open() makes one that may be used.
  PollWakeup() = default;
  // Error: kUnavailable, if the system refuses a file descriptor.
  static Result<PollWakeup> open();
  PollWakeup(PollWakeup&& other) noexcept;
  PollWakeup& operator=(PollWakeup&& other) noexcept;
  ~PollWakeup();

  // Readable from wake() until clear().
  int descriptor() const { return read_end_; }
  // Callable from any thread; never waits. Precondition: open() made it.
  void wake() const;
  // By the thread that polls.
  void clear() const;

 private:
  int read_end_ = -1;
  int write_end_ = -1;  // an eventfd has one descriptor for both
};

}  // namespace partita
