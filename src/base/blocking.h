// While a thread of an executor is blocked nothing can be resumed on it, nor by the others of its executor once all of
// them are:
//
//   const Blocking blocking;
//   auto found = wait_for(engine.read(keys));  // goes on wherever it completes
#pragma once

#include "base/executor.h"

namespace partita {

class Blocking {
 public:
  Blocking() { Executor::set_current(nullptr); }
  ~Blocking() { Executor::set_current(executor_); }
  Blocking(const Blocking&) = delete;
  Blocking& operator=(const Blocking&) = delete;

 private:
  Executor* const executor_ = Executor::current();
};

}  // namespace partita
