// Lambda's Runtime API, by which a handler that runs beside Partita asks for events: docs/sinks.md. It listens on this
// machine alone.
#pragma once

#include <atomic>
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

namespace partita::sinks {

// A request of a runtime, as it is on the wire.
struct RuntimeRequest {
  std::string method;
  std::string path;
  std::string body;
};

// Takes requests of a connection out of its bytes. For one thread.
class RuntimeReader {
 public:
  static constexpr size_t kMostHead = size_t{16} << 10;
  static constexpr size_t kMostBody = size_t{6} << 20;

  void add(std::string_view bytes) { bytes_ += bytes; }
  // A whole request, once it is there. Error: kInvalid: these bytes are none, so the connection is of no use.
  Result<std::optional<RuntimeRequest>> next();

 private:
  // False: more bytes are needed.
  Result<bool> take_head();
  Result<bool> take_sized();
  Result<bool> take_chunks();

  std::string bytes_;
  size_t searched_ = 0;  // of the head
  bool has_head_ = false;
  bool is_chunked_ = false;
  size_t size_ = 0;
  RuntimeRequest request_;
};

// Callable from any thread. The clock outlives it.
class RuntimeApi final : public HookCaller {
 public:
  static constexpr int64_t kIdleMs = 5'000;  // so long an event waits for a runtime that asks
  static constexpr size_t kMostConnections = 64;

  // `port` 0: a free one.
  RuntimeApi(std::string host, uint16_t port, const ChangeSettings& settings, const HookOptions& options,
             const Clock& clock, std::stop_token hurry);
  ~RuntimeApi() override;

  // Begins to listen. Error: kUnavailable, with a sentence.
  Result<void> prepare() override;
  HookAnswer call(size_t line, const HookCall& call) override;
  bool hurries() const override { return hurry_.stop_requested(); }
  uint16_t port() const { return sockets_ ? sockets_->port() : 0; }  // after prepare()

 private:
  // An event, from call() to its answer.
  struct Invocation {
    const HookCall* call = nullptr;
    int64_t deadline_ms = 0;
    bool given = false;  // to a runtime
    std::optional<HookAnswer> answer;
  };
  struct Connection {
    int socket = -1;
    std::atomic<bool> ended{false};
    Thread thread;
  };
  struct Given {
    std::string id;
    std::string head;
    std::string body;
  };

  void accept_all();
  void accept_one(int listening);
  void serve(int socket);
  bool answer(int socket, const RuntimeRequest& request);
  bool give_next(int socket);
  std::optional<Given> wait_for_next(int socket);
  int take_answer(std::string_view path, const std::string& body);

  const std::string host_;
  const uint16_t port_;
  const std::string function_arn_;
  const bool reports_items_;
  const int64_t timeout_ms_;
  const Clock& clock_;
  const std::stop_token hurry_;
  std::optional<net::BoundSockets> sockets_;
  std::list<Connection> connections_;  // of the accepting thread
  std::atomic<bool> stopping_{false};

  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, Invocation, std::less<>> invocations_ PARTITA_GUARDED_BY(mutex_);
  std::deque<std::string> waiting_ PARTITA_GUARDED_BY(mutex_);  // ids of those that no runtime has
  std::string init_error_ PARTITA_GUARDED_BY(mutex_);
  Thread accepting_;
};

}  // namespace partita::sinks
