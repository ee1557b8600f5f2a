// `partita policy simulate`: asks a running server, or evaluates a file of identities.
#pragma once

#include <string>

#include "admin/simulation.h"
#include "base/result.h"

namespace partita::cli {

struct SimulateOptions {
  admin::SimulatedRequest request;  // its resource policy is a file
  std::string identities;           // a file; empty: ask the server
  std::string server;               // its directory or its socket
};

// Prints the decision in the words of the error that a caller would get. False: the request is refused. Errors, one
// sentence each: kInvalid (reason 0), kUnavailable.
Result<bool> simulate(const SimulateOptions& options);

}  // namespace partita::cli
