// One attempt to connect, on its own thread: libpq resolves names and reads files, which may take long, and other
// connections must not wait for that.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "base/poll_wakeup.h"
#include "base/result.h"
#include "base/thread.h"
#include "engines/postgres/conn_info.h"
#include "engines/postgres/libpq.h"

namespace partita::postgres {

class ConnectAttempt {
 public:
  // `wake` is called once, on that thread, when the attempt has ended. Error: kUnavailable, without a thread or a
  // descriptor.
  static Result<std::unique_ptr<ConnectAttempt>> start(ConnInfo conn_info, std::function<void()> wake);
  ConnectAttempt(const ConnectAttempt&) = delete;
  ConnectAttempt& operator=(const ConnectAttempt&) = delete;
  // Ends the attempt and waits for its end: at once, unless a name is being resolved.
  ~ConnectAttempt();

  bool is_over() const { return over_; }
  // Precondition: is_over(). The session's status tells the result; null: it timed out.
  Session take() { return std::move(session_); }

 private:
  ConnectAttempt(ConnInfo conn_info, std::function<void()> wake, PollWakeup stop);
  void run();
  void connect();

  const ConnInfo conn_info_;
  const std::function<void()> wake_;
  const PollWakeup stop_;
  Session session_;
  std::atomic<bool> over_{false};
  Thread thread_;
};

}  // namespace partita::postgres
