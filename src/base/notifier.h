// What one thread sleeps by until another rings: one system call on each side, and none to ring where nobody sleeps.
#pragma once

#include <semaphore.h>

#include <cstdint>

namespace partita {

// Each ring ends one wait, whichever comes first.
class Notifier {
 public:
  Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;
  ~Notifier();

  void notify();
  void wait();
  // False when nobody rang in time.
  bool wait_for(int64_t ms);

 private:
  sem_t notifications_;
};

}  // namespace partita
