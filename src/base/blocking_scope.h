// While a thread of an executor is blocked nothing can be resumed on it, nor by the others of its executor once all of
// them are:
//
//   const BlockingScope blocking;
//   auto found = wait_for(engine.read(keys));  // goes on wherever it completes
#pragma once

#include "base/executor.h"

namespace partita {

class BlockingScope {
 public:
  BlockingScope() { Executor::set_current(nullptr); }
  ~BlockingScope() { Executor::set_current(executor_); }
  BlockingScope(const BlockingScope&) = delete;
  BlockingScope& operator=(const BlockingScope&) = delete;

 private:
  Executor* const executor_ = Executor::current();
};

}  // namespace partita
