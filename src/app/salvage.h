// `partita salvage`: saves what is readable of a damaged store.
#pragma once

#include "app/command_line.h"
#include "base/result.h"

namespace partita::app {

// Prints what was saved and what was lost; false: something was. Error: why nothing could be saved, in one sentence.
Result<bool> salvage(const CommandLine& line);

}  // namespace partita::app
