// The signals of a server: SIGTERM and SIGINT stop it, SIGHUP reloads its files.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "base/result.h"
#include "base/thread.h"
#include "net/server.h"

namespace partita::app {

// Call on the first thread, before any other exists: SIGHUP then waits for a SignalThread, and writes to closed pipes
// or beyond the limit of file sizes are errors instead of signals.
void set_up_signals();
// The same for SIGTERM and SIGINT, which end the process at once until then.
void block_stop_signals();

// Exits without waiting for requests. Acknowledged writes are on disk, as after kill -9.
[[noreturn]] void exit_now();

// Stops the server on the first SIGTERM or SIGINT, drops its requests on a second one, and exits if that takes too
// long.
class SignalThread {
 public:
  // The server outlives this. `patience_ms`: how long requests may take to end. SIGHUP calls `reload` on this thread.
  SignalThread(net::Server& server, int64_t patience_ms, std::function<void()> reload)
      : server_(server), patience_(patience_ms), reload_(std::move(reload)) {}

  // Error: kUnavailable if the system provides no thread.
  Result<void> start();

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  // The signal that stops the server, or 0 at the deadline, or when `done`.
  int wait_for_stop(const std::stop_token& done, Deadline deadline) const;
  void run(const std::stop_token& done) const;

  net::Server& server_;
  const std::chrono::milliseconds patience_;
  const std::function<void()> reload_;
  Thread thread_;
};

}  // namespace partita::app
