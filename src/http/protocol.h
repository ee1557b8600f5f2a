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

#include <memory>

#include "base/clock.h"
#include "base/exposition.h"
#include "base/random.h"
#include "http/handler.h"
#include "http/options.h"
#include "net/request_resources.h"
#include "net/server.h"

namespace partita::http {

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

  // For another protocol of the same server.
  std::shared_ptr<net::RequestResources> resources() const;

  // The memory of requests, for an operator. Callable from any thread.
  void report(Exposition& out) const;

 private:
  struct Shared;
  class Factory;
  net::Protocol protocol(bool administrators) const;
  std::shared_ptr<Shared> shared_;
};

}  // namespace partita::http
