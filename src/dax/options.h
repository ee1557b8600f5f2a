// How DAX is served.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "auth/keys.h"
#include "base/result.h"
#include "net/address.h"
#include "net/certificate.h"

namespace partita::dax {

class Caches;

// A server as an operator names it.
struct Advertised {
  std::string host;   // a name, or an address in digits
  uint16_t port = 0;  // 0: that of the listener
};

// A server as clients are told of it.
struct Node {
  std::string host;
  std::vector<net::Address> addresses;  // at least one; their ports do not count
  uint16_t port = 0;                    // 0: that of the listener
};

struct Options {
  std::string region;                             // of all tables; empty: the one that a connection is signed for
  const auth::Keys* keys = nullptr;               // null: signatures are not verified. Outlives the server.
  const net::Certificate* certificate = nullptr;  // of listeners with TLS. Outlives the server.
  Caches* caches = nullptr;                       // null: none. Outlives the server.
  std::vector<Node> nodes;                        // empty: the address at which a client reached this server

  size_t max_request_bytes = size_t{16} << 20;  // as for HTTP
  int64_t idle_timeout_ms = 600'000;            // clients keep connections for up to 5 minutes, Python's without limit
  int64_t request_timeout_ms = 30'000;          // for a request, and for a reply, and a second per 256 KiB of it
};

// Resolves the names. Blocks. Error: kUnavailable, with one sentence.
Result<std::vector<Node>> nodes_of(const std::vector<Advertised>& advertised);

}  // namespace partita::dax
