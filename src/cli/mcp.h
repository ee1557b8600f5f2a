// A store for agents: DynamoDB's operations as tools of the Model Context Protocol.
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

// Answers the messages of stdin, one a line, on stdout, until stdin ends. The calls are made of the server at
// line.endpoint, or of a store that is opened here. Without line.writes no tool changes anything: each access is judged
// by a policy that allows to read, and a server is asked nothing that writes. Errors, before the first message: as of
// `serve`; with neither leave to write nor a seed kInvalid (reason 0) where there is no store, since none is made then,
// and kUnavailable for one in the middle of a rollback.
Result<void> mcp(const McpOptions& line, std::string_view version);

}  // namespace partita::cli
