// Lets a thread sleep until another one notifies it: one system call on each side, and none to notify if nobody sleeps.
#pragma once

#if defined(__linux__)
#include <semaphore.h>
#else
#include <semaphore>
#endif

#include <cstdint>

namespace partita {

// Each notification ends one wait, in either order.
class Notifier {
 public:
  Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;
  ~Notifier();

  void notify();
  void wait();
  // False if there was no notification within `ms`.
  bool wait_for(int64_t ms);

 private:
#if defined(__linux__)
  sem_t notifications_;
#else  // macOS has no unnamed semaphores of POSIX
  std::counting_semaphore<> notifications_{0};
#endif
};

}  // namespace partita
