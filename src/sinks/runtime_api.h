// Lambda's Runtime API, by which a handler that runs beside Partita asks for events: docs/change-sinks.md. It listens
// on this machine alone.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "base/thread.h"
#include "net/bound_sockets.h"
#include "sinks/hook_call.h"
#include "sinks/runtime_reader.h"

namespace partita::sinks {

struct RuntimeLimits {
  size_t connections = 64;  // further ones are closed
  // So long a connection is kept without a whole request; after an event, for the time of the call more. One that waits
  // for an event is kept.
  int64_t quiet_ms = 60'000;
};

// Callable from any thread. The clock outlives it.
class RuntimeApi final : public HookCaller {
 public:
  static constexpr int64_t kIdleMs = 5'000;  // so long an event waits for a runtime that asks

  // `port` 0: a free one.
  RuntimeApi(std::string host, uint16_t port, const ChangeSettings& settings, const HookOptions& options,
             const Clock& clock, std::stop_token hurry, RuntimeLimits limits = {});
  ~RuntimeApi() override;

  // Begins to listen. Error: kUnavailable, with a sentence.
  Result<void> prepare() override;
  HookAnswer call(size_t line, const HookCall& call) override;
  bool hurries() const override { return hurry_.stop_requested(); }
  uint16_t port() const { return sockets_ ? sockets_->port() : 0; }  // after prepare()

 private:
  using Instant = std::chrono::steady_clock::time_point;
  // An event, from call() to its answer.
  struct Invocation {
    std::string id;  // of this attempt alone: a late answer to an earlier one is none to it
    const HookCall* call = nullptr;
    bool given = false;  // to a runtime
    Instant since;       // when it was given, or began to wait
    std::optional<HookAnswer> answer;
  };
  struct Connection {
    Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    int socket = -1;
    std::atomic<bool> ended{false};
    Thread thread;
  };
  struct Given {
    std::string id;
    std::string bytes;
  };

  void accept_all();
  // False, for both: there is not enough of something, so another attempt is of no use at once.
  bool accept_some();
  bool accept_one(int listening);
  void serve(int socket);
  // For how long the next request may take; nullopt: the connection is of no more use.
  std::optional<std::chrono::milliseconds> answer(int socket, const RuntimeRequest& request);
  void refuse(int socket, int status, std::string_view type, std::string_view message);
  bool give_next(int socket);
  std::optional<Given> wait_for_next(int socket);
  // The status of the reply.
  int take_answer(std::string_view path, const RuntimeRequest& request);

  const std::string host_;
  const uint16_t port_;
  const std::string function_arn_;
  const bool reports_items_;
  const int64_t timeout_ms_;
  const Clock& clock_;
  const std::stop_token hurry_;
  const RuntimeLimits limits_;
  std::optional<net::BoundSockets> sockets_;
  std::list<Connection> connections_;  // of the accepting thread
  std::atomic<bool> stopping_{false};

  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, Invocation*, std::less<>> invocations_ PARTITA_GUARDED_BY(mutex_);  // by their ids
  // Ids of those that no runtime has, and perhaps some of none.
  std::deque<std::string> waiting_ PARTITA_GUARDED_BY(mutex_);
  std::string init_error_ PARTITA_GUARDED_BY(mutex_);
  Thread accepting_;
};

}  // namespace partita::sinks
