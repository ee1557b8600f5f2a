// What a server says of itself to its administrators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admin/admin.h"
#include "base/result.h"
#include "cli/command_line.h"
#include "engines/rocksdb/scrub.h"
#include "observe/pages.h"

namespace partita::cli {

struct ServerFacts {
  std::string version;
  std::string revision;
  std::string store;
  bool shared = false;  // it is a database, which may be away
  std::vector<std::string> urls;
  int64_t started_ms = 0;        // since 1970
  const Scrub* scrub = nullptr;  // outlives what is answered; null: there is none
};

// The operation kDescribeServer, which `partita status` asks for.
// `pages` outlives what it answers.
void answer_status(admin::Admin& admin, observe::Pages& pages, ServerFacts facts);

// Prints what the server at line.data says: in sentences, or its reply as it is for line.json. Errors: kUnavailable,
// with one sentence; also when its store is away.
Result<void> status(const CommandLine& line);

}  // namespace partita::cli
