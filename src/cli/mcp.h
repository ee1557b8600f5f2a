// A store for agents: DynamoDB's operations as tools of the Model Context Protocol.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/command_line.h"

namespace partita::cli {

// Answers the messages of stdin, one a line, on stdout, until stdin ends. The calls are made of the server at
// line.endpoint, or of a store that is opened here. Without line.writes no tool changes anything: each access is judged
// by a policy that allows to read, and a server is asked nothing that writes. Errors, before the first message: as of
// `serve`; with neither leave to write nor a seed kInvalid (reason 0) where there is no store, since none is made then,
// and kUnavailable for one in the middle of a rollback.
Result<void> mcp(const CommandLine& line, std::string_view version);

}  // namespace partita::cli
