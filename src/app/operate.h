// Verbs that ask a server that runs: `partita snapshot ...`, `partita namespace ...`.
#pragma once

#include "app/command_line.h"
#include "base/result.h"

namespace partita::app {

// Asks, and prints what is answered. Error: kUnavailable, with one sentence: nobody answers, or will not.
Result<void> operate(const CommandLine& line);

}  // namespace partita::app
