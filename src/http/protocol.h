// HTTP/1.1 as a protocol of net::Server: each connection's requests go to a Handler, and its replies back. It knows
// nothing of DynamoDB beyond the headers of its protocol.
//
//   net::Server server(options, system_clock());
//   http::Protocol http(options, handler, system_clock(), system_random());
//   PARTITA_TRY_VOID(server.listen(std::move(sockets), http.for_clients()));
//
// Each connection belongs to one thread, and so do its requests: a handler that waits is resumed there, through the
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
#include "base/task.h"
#include "net/certificate.h"
#include "net/server.h"
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
  // A connection sent no valid request, or a request of a web page that may not call, and got this status. On the
  // thread of the connection.
  virtual void refused(int /*status*/) {}
  // The reply to a GET of that path, other than "/"; nothing when there is no such page. Both arguments live until the
  // task has ended, and it ends as call() does.
  virtual Task<std::optional<ops::Reply>> page(std::string_view /*path*/, const ops::Source& /*source*/) {
    co_return std::nullopt;
  }
};

struct Options : net::ServerOptions {
  std::string address;               // IPv4 or IPv6 in digits, or a name; empty or "localhost": both loopback addresses
  uint16_t port = 8000;              // 0: any free one
  bool beyond_loopback = false;      // whether other machines may be offered the port though nothing is verified
  std::string region;                // of all tables; empty: of each request the one it is signed for
  const auth::Keys* keys = nullptr;  // whose signatures are believed; null: all are. Outlives the server.
  const net::Certificate* certificate = nullptr;  // clients speak TLS with it; null: none do. Outlives the server.
  bool root_refuses = false;                      // GET / is answered as an unsigned call is, not with the health text
  std::vector<std::string> allowed_origins;       // whose pages may call, such as "http://localhost:3000"; "*" is all

  size_t memory_budget = size_t{512} << 20;  // for bodies, what they are parsed to, and replies; beyond it: 503
  size_t max_head_bytes = size_t{16} << 10;  // request line and headers: DynamoDB's limit; more is answered 400
  size_t max_body_bytes = size_t{16} << 20;  // DynamoDB's limit of a request; more is answered 413
  int64_t idle_timeout_ms = 120'000;         // between two requests
  int64_t request_timeout_ms = 30'000;       // for a head; for a body, and for a reply, and a second per 256 KiB of it
};

// The memory budget and the threads for large requests, shared by the connections of all its listeners. Its copies of
// them live as long as any of these connections.
class Protocol {
 public:
  // The references outlive the server.
  Protocol(const Options& options, Handler& handler, const Clock& clock, Random& random);

  // For net::Server::listen(). Clients: with TLS, if the options have a certificate.
  net::Protocol for_clients() const;
  // Administrators: without TLS, signatures and a limit of connections. For sockets that only the operator can reach.
  net::Protocol for_administrators() const;

  // The memory of requests, for an operator. Callable from any thread.
  void report(Exposition& out) const;

 private:
  struct Shared;
  class Factory;
  net::Protocol protocol(bool administrators) const;
  std::shared_ptr<Shared> shared_;
};

}  // namespace partita::http
