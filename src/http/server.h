// An HTTP/1.1 server: takes requests from connections, hands each to a Handler, and sends back what it answers. It
// knows nothing of DynamoDB beyond the headers of its protocol.
//
//   PARTITA_TRY(auto server, http::Server::listen(options, handler, system_clock(), system_random()));
//   server->run();  // until another thread calls server->stop()
//
// Each connection belongs to one thread, and so do its requests: a handler that waits goes on there, through the
// Executor that is current. Requests of one connection are answered in order, one at a time. Bad input is answered with
// a 4xx or ends its connection, never anything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "base/task.h"
#include "ops/service.h"

namespace partita::http {

class Handler {
 public:
  virtual ~Handler() = default;
  // A request that is not a POST comes as a call without content type. What `call` points into lives until the task has
  // ended. Called from several threads at once. Must end in the end: a server that stops waits for it.
  virtual Task<ops::Reply> call(const ops::Call& call) = 0;
};

struct Options {
  std::string address = "127.0.0.1";  // IPv4 or IPv6, in digits
  uint16_t port = 8000;               // 0: any free one
  unsigned threads = 1;
  std::string region = "us-east-1";  // named by the health text

  size_t max_connections = 10'000;           // one more is answered 503
  size_t max_head_bytes = size_t{64} << 10;  // request line and headers; more is answered 431
  size_t max_body_bytes = size_t{16} << 20;  // DynamoDB's limit of a request; more is answered 413
  int64_t idle_timeout_ms = 120'000;         // between two requests
  int64_t request_timeout_ms = 30'000;       // for a whole head; between two pieces of a body; to take a reply
  int64_t stop_timeout_ms = 5'000;           // for what is under way when the server stops
};

class Server {
 public:
  // Binds and listens; connections wait until run(). The references outlive the server. Error: kUnavailable, with one
  // sentence for the operator (address in use, not permitted, not an address).
  static Result<std::unique_ptr<Server>> listen(const Options& options, Handler& handler, const Clock& clock,
                                                Random& random);
  ~Server();

  // The real one, also when options asked for 0.
  uint16_t port() const;

  // Serves on this thread and `threads - 1` others; returns after stop(), when every connection has ended. Once only.
  void run();

  // Accepts no more, ends idle connections, lets requests under way finish for a while, then ends them too. Callable
  // from any thread, before or during run(), more than once. Does not wait.
  void stop();

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace partita::http
