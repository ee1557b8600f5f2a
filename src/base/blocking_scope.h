// Leaves the thread's executor while the thread blocks: an executor whose threads are all blocked cannot resume
// anything.
//
//   const BlockingScope blocking;
//   auto found = wait_for(engine.read(keys));  // continues wherever it completes
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
