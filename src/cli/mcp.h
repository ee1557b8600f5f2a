// A server of the Model Context Protocol, which offers DynamoDB's operations as tools.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::cli {

struct McpOptions {
  std::string store;     // a URL as in engines/stores.h; unused with `endpoint`
  std::string seed;      // a directory, or empty
  std::string endpoint;  // the URL of a running server, or empty
  std::string space;     // the namespace on that server, or empty
  bool writes = false;   // also offer tools that change data
};

// Answers the messages of stdin, one a line, on stdout, until stdin ends. Calls go to the server at line.endpoint, or
// to a store that is opened here. Without line.writes, a read-only policy applies to each access, and no writing call
// is sent to a server. Errors, before the first message: those of `serve`; without writes and seed, kInvalid (reason 0)
// if the store does not exist, and kUnavailable if a rollback of it is incomplete.
Result<void> mcp(const McpOptions& line, std::string_view version);

}  // namespace partita::cli
