// The options of `serve` on the command line.
#pragma once

#include <span>

#include "base/result.h"
#include "cli/options.h"

namespace partita::cli {

std::span<const Flag> serve_flags();
// Checks their combination. Error: kInvalid (reason 0), with one sentence.
Result<void> finish_serve(Draft& draft);

}  // namespace partita::cli
