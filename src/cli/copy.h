// `partita copy`: copies a store to a store of the same or of another engine.
#pragma once

#include <string>

#include "base/result.h"

namespace partita::cli {

struct CopyOptions {
  std::string from;  // URLs as in engines/stores.h
  std::string to;
};

// Prints the progress on stderr, and what was copied on stdout. Blocks. Repeat an interrupted copy to continue it.
// Error: one sentence.
Result<void> copy(const CopyOptions& stores);

}  // namespace partita::cli
