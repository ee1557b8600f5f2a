// What the Host header says of who sent a request.
#pragma once

#include <string_view>

namespace partita::http {

// Whether no web page from elsewhere can have sent a request with this Host: it is an address in digits, a name without
// a dot, such as "localhost" or that of a container, or below a top-level name that nobody can register. Any other name
// may be that of a page which made it lead here (DNS rebinding), and a browser's GET of its own origin may say nothing
// else of that. True for an empty one: browsers always send it.
bool is_local_host(std::string_view host);

}  // namespace partita::http
