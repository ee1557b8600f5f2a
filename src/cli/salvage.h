// `partita salvage`: saves what is readable of a damaged store.
#pragma once

#include "base/result.h"
#include "cli/command_line.h"

namespace partita::cli {

// Prints what was saved and what was lost; false: something was. Error: why nothing could be saved, in one sentence.
Result<bool> salvage(const CommandLine& line);

}  // namespace partita::cli
