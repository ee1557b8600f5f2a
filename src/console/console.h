// The console: a web application whose files are part of the program. It calls the server as any client does.
#pragma once

#include <optional>
#include <string_view>

#include "http/handler.h"
#include "ops/call.h"

namespace partita::console {

// Where it is, below the server's URL.
inline constexpr std::string_view kPath = "/console/";

// The answer to a GET of that path (without its query): a file of the console, or a redirect to it. A path that names
// no file is one of the application's views, whose answer is index.html: all but those below "assets/", and those with
// a dot whose client does not ask for HTML; their answer has the status 404. Absent: the path is not below kPath.
// Callable from any thread.
std::optional<http::File> find(std::string_view path, const ops::Source& source);

}  // namespace partita::console
