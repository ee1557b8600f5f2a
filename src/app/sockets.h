// The sockets that a server listens on.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "app/cache_times.h"
#include "base/exposition.h"
#include "base/result.h"
#include "cli/serve_options.h"
#include "clusters/dax_address.h"
#include "dax/caches.h"
#include "dax/options.h"
#include "http/protocol.h"
#include "net/bound_sockets.h"
#include "net/server.h"
#include "net/unix_socket.h"
#include "ops/call_codec.h"

namespace partita::app {

struct Sockets {
  net::BoundSockets clients;
  std::optional<net::BoundSockets> dax;            // absent without --dax
  std::optional<net::BoundSockets> dax_encrypted;  // absent without --dax-tls
  std::vector<dax::Node> dax_nodes;
  std::unique_ptr<net::UnixSocket> admin;

  // Whether clients on other machines can reach one of them.
  bool beyond_loopback() const;
};

// Takes what the machine may refuse before a store is created, so that a failed start leaves none. Errors:
// kUnavailable, with one sentence.
Result<Sockets> bind_sockets(const cli::ServeOptions& options);

// Where clients reach DAX: at the first advertised address, or where it listens.
clusters::DaxAddress dax_address_of(const cli::DaxOptions& options, const Sockets& sockets);

// The administration socket. Null if the default one is not available. Error: the requested one is not.
Result<std::unique_ptr<net::UnixSocket>> open_admin_socket(const cli::ServeOptions& options, Sockets& taken);

// What answers the calls of DAX. Outlives the server, and the handler outlives it.
struct DaxCalls {
  // `cache_bytes`: 0: no caches. The service has their times to live, and outlives this. Error: kUnavailable if the
  // system provides no thread.
  static Result<DaxCalls> make(ops::CallHandler& handler, size_t cache_bytes, ops::Service& service);
  // The metrics of the caches, if there are any.
  void report(Exposition& out) const;

  ops::CallHandler* handler;
  std::unique_ptr<CacheTimesThread> times{};  // both are null without caches
  std::unique_ptr<dax::Caches> caches{};
};

// `admin_socket` may be null.
Result<void> listen(net::Server& server, const cli::ServeOptions& options, Sockets& sockets, const http::Protocol& http,
                    const DaxCalls& dax, const net::UnixSocket* admin_socket);

}  // namespace partita::app
