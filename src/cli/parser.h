// Reads the command line.
#pragma once

#include <span>

#include "base/result.h"
#include "cli/command_line.h"

namespace partita::cli {

// `words` follow the program's name. Error: kInvalid (reason 0), with one sentence.
Result<CommandLine> read_command_line(std::span<const char* const> words);

}  // namespace partita::cli
