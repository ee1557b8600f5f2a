// What a request is about, for those who write down requests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace partita::app {

// The tables, streams and other things that a request's body names outside of PartiQL's statements, in its order; none
// of a body of more than 64 KiB, since to read it again would hold up others.
std::vector<std::string> resources_named(std::string_view body);

}  // namespace partita::app
