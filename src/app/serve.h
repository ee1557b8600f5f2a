// `partita serve`: opens the store, listens, and serves until a signal says stop.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/command_line.h"

namespace partita::app {

// Call before any other thread exists, and on none but the first. SIGTERM and SIGINT end the process until all that the
// options name has been read, which may be pipes that nobody writes to; from then on they wait for their turn.
// Prints one line on stdout when ready, and returns after SIGTERM or SIGINT once everything is closed. A second signal
// drops what is under way; when even that takes long, the process ends with what is on disk.
// Error: why it could not start, in one sentence.
Result<void> serve(const cli::CommandLine& line, std::string_view version, std::string_view revision);

}  // namespace partita::app
