// How HTTP is served.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "auth/keys.h"
#include "net/certificate.h"
#include "net/server.h"

namespace partita::http {

struct Options : net::ServerOptions {
  std::string address;               // IPv4 or IPv6 in digits, or a name; empty or "localhost": both loopback addresses
  uint16_t port = 8000;              // 0: any free one
  bool beyond_loopback = false;      // whether other machines may be offered the port though nothing is verified
  std::string region;                // of all tables; empty: of each request the one it is signed for
  const auth::Keys* keys = nullptr;  // whose signatures are believed; null: all are. Outlives the server.
  const net::Certificate* certificate = nullptr;  // clients speak TLS with it; null: none do. Outlives the server.
  bool root_refuses = false;                      // GET / is answered as an unsigned call is, not with the health text
  bool serves_pages = false;                      // whose own calls are answered: is_own_page() of http/host.h
  std::vector<std::string> allowed_origins;       // whose pages may call, such as "http://localhost:3000"; "*" is all

  size_t memory_budget = size_t{512} << 20;  // for bodies, what they are parsed to, and replies; beyond it: 503
  size_t max_head_bytes = size_t{16} << 10;  // request line and headers: DynamoDB's limit; more is answered 400
  size_t max_body_bytes = size_t{16} << 20;  // DynamoDB's limit of a request; more is answered 413
  int64_t idle_timeout_ms = 120'000;         // between two requests
  int64_t request_timeout_ms = 30'000;       // for a head; for a body, and for a reply, and a second per 256 KiB of it
};

}  // namespace partita::http
