// `partita status`.
#pragma once

#include <string>

#include "base/result.h"

namespace partita::cli {

struct StatusOptions {
  std::string server;  // its directory or its socket
  bool json = false;
};

// Prints the state of a server, as text or as its JSON reply. Errors, one sentence each: kUnavailable, also when the
// server's store is.
Result<void> status(const StatusOptions& options);

}  // namespace partita::cli
