// `partita copy`: a store of one engine becomes one of another.
#pragma once

#include "base/result.h"
#include "cli/command_line.h"

namespace partita::cli {

// Says on stderr how far it is, and on stdout what was copied. Blocks. Error: one sentence; started again with the same
// words it goes on where it was.
Result<void> copy(const CommandLine& line);

}  // namespace partita::cli
