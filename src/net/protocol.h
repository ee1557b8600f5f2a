// A protocol that connections of net::Server speak.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "net/connection.h"
#include "net/tls_stream.h"

namespace partita::net {

// Of a listener. Copied by net::Server::listen().
struct Protocol {
  // Called once for each worker, on the thread that calls listen(). The state outlives the factory.
  std::function<std::unique_ptr<ConnectionFactory>(const WorkerState&)> make_factory;
  std::string_view scheme = {};      // of the URLs of its addresses, such as "http"; static storage
  TlsOptions tls = {};               // without a certificate: no TLS
  std::string_view full_reply = {};  // sent to a connection that is closed because there are too many
  bool limited = true;               // false: ServerOptions::max_connections refuses none of its connections
};

}  // namespace partita::net
