// `partita policy simulate`: what policies decide of a request, without a server.
#pragma once

#include "app/command_line.h"
#include "base/result.h"

namespace partita::app {

// Prints the decision, in the words that a caller would be told. False: it is no. Error: kInvalid (reason 0), with one
// sentence.
Result<bool> simulate(const CommandLine& line);

}  // namespace partita::app
