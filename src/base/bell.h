// What one thread sleeps by until another rings: one system call on each side, and none to ring where nobody sleeps.
#pragma once

#include <semaphore.h>

#include <cstdint>

namespace partita {

// Each ring ends one wait, whichever comes first.
class Bell {
 public:
  Bell();
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  ~Bell();

  void ring();
  void wait();
  // False when nobody rang in time.
  bool wait_for(int64_t ms);

 private:
  sem_t rings_;
};

}  // namespace partita
