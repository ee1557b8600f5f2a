// Lets a coroutine wait for time to pass without holding a thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <map>
#include <mutex>
#include <thread>

#include "base/executor.h"
#include "base/task.h"

namespace partita {

// One thread that resumes sleepers. Callable from any thread. At its end every sleeper is woken early.
class Timer {
 public:
  Timer();
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Goes on after at least `ms` milliseconds of real time, through the Executor that was current when it was awaited.
  Task<void> sleep(int64_t ms);

 private:
  using Instant = std::chrono::steady_clock::time_point;
  struct Sleeper {
    std::coroutine_handle<> handle;
    Executor* executor;
  };
  struct Nap;

  void add(Instant until, Sleeper sleeper);
  void run(std::stop_token stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::multimap<Instant, Sleeper> sleepers_;
  std::jthread thread_;
};

}  // namespace partita
