// What a server says of itself to its administrators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/admin.h"
#include "app/command_line.h"
#include "base/result.h"

namespace partita::app {

struct ServerFacts {
  std::string version;
  std::string revision;
  std::string store;
  std::vector<std::string> urls;
  int64_t started_ms = 0;  // since 1970
};

// The operation DescribeServer, which `partita status` asks for.
void answer_status(Admin& admin, ServerFacts facts);

// Prints what the server at line.data says. Errors: kUnavailable, with one sentence.
Result<void> status(const CommandLine& line);

}  // namespace partita::app
