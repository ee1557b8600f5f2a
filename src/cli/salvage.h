// `partita salvage`: saves the readable part of a damaged store.
#pragma once

#include <string>

#include "base/result.h"

namespace partita::cli {

struct SalvageOptions {
  std::string from;  // directories
  std::string to;    // missing or empty
};

// Prints what is lost on stdout. Blocks. False: something is lost. Error, one sentence: nothing could be saved.
Result<bool> salvage(const SalvageOptions& options);

}  // namespace partita::cli
