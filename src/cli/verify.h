// `partita verify`: whether a store, or a backup, is whole and fits together.
#pragma once

#include "base/result.h"
#include "cli/command_line.h"

namespace partita::cli {

// Says on stderr how far it is, and on stdout a sentence for each table; false: something differs. Blocks. Error: one
// sentence, when it could not be looked at.
Result<bool> verify(const CommandLine& line);

}  // namespace partita::cli
