// A thread. The system may refuse to create one (RLIMIT_NPROC, pids.max, no memory for its stack), and
// start() returns that as an error where std::thread would throw. Nothing else in src makes threads (tests/tidy).
//
//   PARTITA_TRY(thread_, Thread::start("committer", [this](const std::stop_token&) { run(); }));
#pragma once

#include <functional>
#include <string_view>
#include <thread>

#include "base/result.h"

namespace partita {

// The destructor requests a stop and joins, like that of std::jthread.
class Thread {
 public:
  using Body = std::function<void(const std::stop_token&)>;

  Thread() = default;
  // `name`: the thread's name in `top -H` and /proc, at most 15 bytes. Error: kUnavailable, with one sentence for the
  // operator.
  static Result<Thread> start(std::string_view name, Body body);

  bool joinable() const { return thread_.joinable(); }
  void request_stop() { thread_.request_stop(); }
  void join() { thread_.join(); }
  std::thread::id id() const { return thread_.get_id(); }

 private:
  explicit Thread(std::jthread thread) : thread_(std::move(thread)) {}
  std::jthread thread_;
};

// Whether the error means that the system refused a thread.
bool is_thread_refusal(const Error& error);

// For tests: while such an object exists, start() fails on every thread.
class ThreadStartFailure {
 public:
  ThreadStartFailure();
  ~ThreadStartFailure();
  ThreadStartFailure(const ThreadStartFailure&) = delete;
  ThreadStartFailure& operator=(const ThreadStartFailure&) = delete;
};

}  // namespace partita
