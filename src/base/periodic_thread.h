// A thread that does something again and again.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "base/thread.h"

namespace partita {

// The destructor ends it: it waits for what is being done, and for no pause.
class PeriodicThread {
 public:
  PeriodicThread() = default;
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;

  // Once. Calls `tick` at once, and then every `interval`; after one that took longer, the next follows at once.
  // `name` and error: those of Thread::start().
  Result<void> start(std::string_view name, std::chrono::milliseconds interval, std::function<void()> tick);

 private:
  void run(const std::stop_token& stop, std::chrono::milliseconds interval, const std::function<void()>& tick);

  Mutex mutex_;
  CondVar wake_;
  Thread thread_;
};

}  // namespace partita
