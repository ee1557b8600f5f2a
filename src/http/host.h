// Whether the Host header shows that no foreign web page sent a request.
#pragma once

#include <string_view>

namespace partita::http {

// True for an address in digits, a name without a dot, such as "localhost" or that of a container, and a name below a
// top-level domain that cannot be registered. Any other name may be that of a page that made it resolve to this server
// (DNS rebinding); a browser's GET for its own origin may show that in Host only. True for an empty one: browsers
// always send it.
bool is_local_host(std::string_view host);

}  // namespace partita::http
