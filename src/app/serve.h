// `partita serve`: opens the store, listens, and serves until a signal ends it.
#pragma once

#include "base/result.h"
#include "cli/serve_options.h"
#include "cli/verbs.h"

namespace partita::app {

// Call on the first thread, before any other exists. SIGTERM and SIGINT end the process at once until all inputs are
// read, which may be pipes without a writer. Prints one line on stdout when ready. The first signal after that stops
// the server gracefully and serve() returns; a second one drops the requests in progress. If that takes too long, the
// process exits; all acknowledged writes are on disk.
// Error, one sentence: the server could not start.
Result<void> serve(const cli::ServeOptions& options, const cli::Build& build);

}  // namespace partita::app
