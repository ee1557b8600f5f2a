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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/keys.h"
#include "base/clock.h"
#include "base/exposition.h"
#include "base/random.h"
#include "base/result.h"
#include "base/task.h"
#include "http/admin_socket.h"
#include "net/bound_sockets.h"
#include "net/certificate.h"
#include "ops/service.h"

namespace partita::http {

class Handler {
 public:
  virtual ~Handler() = default;
  // A request that is not a POST comes as a call without content type. What `call` points into lives until the task has
  // ended. Called from several threads at once. Must end in the end: a server that stops waits for it a while.
  virtual Task<ops::Reply> call(const ops::Call& call) = 0;
  // Bytes that answering the call may take beyond its body and its reply, at most.
  virtual size_t memory_of(const ops::Call&) const { return 0; }
  // Why requests cannot be served as they should, as one sentence; empty when all is well. Ends as call() does.
  virtual Task<std::string> trouble() { co_return std::string(); }
  // The reply to a call is ready, as long after its last byte was read. On the thread of its connection.
  virtual void answered(const ops::Call& /*call*/, const ops::Reply& /*reply*/, int64_t /*took_ns*/) {}
  // What arrived was no request, or of a page that may not call, and was answered so. On that thread too.
  virtual void refused(int /*status*/) {}
  // What a GET of that path is answered with, beside "/"; nothing when there is no such page. Both arguments live until
  // the task has ended, and it ends as call() does.
  virtual Task<std::optional<ops::Reply>> page(std::string_view /*path*/, const ops::Source& /*source*/) {
    co_return std::nullopt;
  }
};

struct Options {
  std::string address;           // IPv4 or IPv6 in digits, or a name; empty or "localhost": both loopback addresses
  uint16_t port = 8000;          // 0: any free one
  bool beyond_loopback = false;  // whether other machines may be offered the port though nothing is verified
  unsigned threads = 1;
  std::string region;                             // of all tables; empty: of each request the one it is signed for
  const auth::Keys* keys = nullptr;               // whose signatures are believed; null: all are. Outlives the server.
  const net::Certificate* certificate = nullptr;  // connections speak TLS with it; null: none do. Outlives the server.
  const AdminSocket* admin_socket = nullptr;      // its connections need no signature; null: none. Outlives the server.
  bool root_refuses = false;                      // GET / is answered as an unsigned call is, not with the health text
  std::vector<std::string> allowed_origins;       // whose pages may call, such as "http://localhost:3000"; "*" is all

  size_t memory_budget = size_t{512} << 20;  // for bodies, what they are parsed to, and replies; beyond it: 503
  size_t max_connections = 10'000;           // for one more the oldest idle one is closed; if there is none: 503
  size_t max_head_bytes = size_t{16} << 10;  // request line and headers: DynamoDB's limit; more is answered 400
  size_t max_body_bytes = size_t{16} << 20;  // DynamoDB's limit of a request; more is answered 413
  int64_t idle_timeout_ms = 120'000;         // between two requests
  int64_t request_timeout_ms = 30'000;       // for a head; for a body, and for a reply, and a second per 256 KiB of it
  int64_t stop_timeout_ms = 5'000;           // for what is being answered when the server stops
};

class Server {
 public:
  // Binds and listens; connections wait until run(). The references outlive the server. Resolves a name, which may
  // block. Error: kUnavailable, with one sentence for the operator (address in use, not permitted, no such name, not a
  // loopback address).
  static Result<std::unique_ptr<Server>> listen(const Options& options, Handler& handler, const Clock& clock,
                                                Random& random);
  // The same with sockets that are bound already; address and port of the options are not looked at.
  static Result<std::unique_ptr<Server>> listen(const Options& options, net::BoundSockets sockets, Handler& handler,
                                                const Clock& clock, Random& random);
  ~Server();

  // As many open files as this process may have. listen() does it too; a store that is opened before wants them as
  // well.
  static void raise_file_limit();

  // The real one, also when options asked for 0.
  uint16_t port() const;
  // Every address that it listens on, with the port, as URLs have them: "127.0.0.1:8000", "[::1]:8000".
  std::vector<std::string> places() const;
  // Whether one of them can be reached from other machines.
  bool beyond_loopback() const;
  // At most what options asked for: file descriptors are kept back for the store. Known after start().
  size_t most_connections() const;
  // Its connections and memory, for an operator. Callable from any thread.
  void report(Exposition& out) const;

  // Starts the `threads - 1` others that serve. Once, before run(). Error: kUnavailable, with one sentence: the system
  // makes no more threads, or too few file descriptors are left for a store and its connections.
  Result<void> start();
  // Serves on this thread and the others; returns after stop(), when every connection has ended. Once only.
  // False: handlers went on beyond all patience. What they use, this server too, must then live until the process ends.
  [[nodiscard]] bool run();

  // Accepts no more, ends connections that are not being answered, lets the others have their reply for a while, then
  // ends them too. Callable from any thread, before or during run(), more than once. Does not wait.
  void stop();
  // The same without patience for clients: every connection ends now.
  void stop_now();

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace partita::http
