// One thread for work that no request waits for: filling new indexes, clearing away dropped tables and indexes.
// Jobs run one after the other in the order they came; one that could not finish comes again later. A job may sleep:
// the thread is the current Executor, so that after waiting for the store it goes on here and not on the store's
// thread.
#pragma once

#include <condition_variable>
#include <coroutine>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/executor.h"
#include "base/task.h"

namespace partita::table {

class Background : private Executor {
 public:
  // False: try again later. A job looks at the token now and then and ends early when a stop is requested.
  using Job = std::function<Task<bool>(std::stop_token)>;

  Background();
  // Asks the running job to end, waits for it, and drops those that have not begun: they begin anew at the next start.
  ~Background() override;

  void add(Job job);

 private:
  void run(std::stop_token stop);
  bool finish(Task<bool> job);
  void resume(std::coroutine_handle<> handle) override;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Job> jobs_;
  std::deque<std::coroutine_handle<>> ready_;  // of the job that runs
  std::jthread thread_;
};

}  // namespace partita::table
