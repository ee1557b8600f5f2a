// One attempt to connect, in a thread of its own: libpq looks names up and reads files on the way, which may take long,
// and whoever has other connections should not wait for that.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "base/result.h"
#include "base/thread.h"
#include "engines/postgres/conn_info.h"
#include "engines/postgres/libpq.h"

namespace partita::postgres {

class ConnectAttempt {
 public:
  // `wake` is called once, from the thread, when it is over. Error: kUnavailable, without a thread or a descriptor.
  static Result<std::unique_ptr<ConnectAttempt>> start(ConnInfo conn_info, std::function<void()> wake);
  ConnectAttempt(const ConnectAttempt&) = delete;
  ConnectAttempt& operator=(const ConnectAttempt&) = delete;
  // Ends the attempt and waits for that, which is at once but where a name is being looked up.
  ~ConnectAttempt();

  bool is_over() const { return over_; }
  // Precondition: it is over. Its status says how it went; null: in no time.
  Session take() { return std::move(session_); }

 private:
  ConnectAttempt(ConnInfo conn_info, std::function<void()> wake, int stop);
  void run();
  void connect();

  const ConnInfo conn_info_;
  const std::function<void()> wake_;
  const int stop_;
  Session session_;
  std::atomic<bool> over_{false};
  Thread thread_;
};

}  // namespace partita::postgres
