// Which web page sent a request, by its headers.
#pragma once

#include <string_view>

namespace partita::http {

// True for an address in digits, a name without a dot, such as "localhost" or that of a container, and a name below a
// top-level domain that cannot be registered. Any other name may be that of a page that made it resolve to this server
// (DNS rebinding); a browser's GET for its own origin may show that in Host only. True for an empty one: browsers
// always send it.
bool is_local_host(std::string_view host);

// A request as is_own_page() sees it. Absent headers are empty.
struct Sender {
  std::string_view origin = {};  // the Origin header
  std::string_view host = {};    // the Host header
  std::string_view target = {};  // of the request line
  std::string_view site = {};    // the Sec-Fetch-Site header
  bool encrypted = false;        // whether the connection has TLS
  bool verified = false;         // whether the server verifies signatures
};

// True if the page is one that this server served: its origin has scheme, name and port of this request, and its name
// is "localhost" or an address, which no DNS server can make resolve to another machine. Where signatures are verified,
// any name will do, since a page without a secret cannot call, and also "https", since a proxy may speak TLS
// (docs/decisions/031).
bool is_own_page(const Sender& sender);

}  // namespace partita::http
