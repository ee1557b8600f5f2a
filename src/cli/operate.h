// Verbs that ask a server that runs: `partita snapshot ...`, `partita namespace ...`.
#pragma once

#include "base/result.h"
#include "cli/command_line.h"

namespace partita::cli {

// Asks, and prints what is answered. Error: kUnavailable, with one sentence: nobody answers, or will not.
Result<void> operate(const CommandLine& line);

}  // namespace partita::cli
