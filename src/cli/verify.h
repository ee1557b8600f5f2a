// `partita verify`: checks a store or a backup.
#pragma once

#include "base/result.h"
#include "cli/backup.h"

namespace partita::cli {

// Prints the findings on stdout, and the progress on stderr. Blocks. False: something is wrong. Errors, one sentence
// each: the store could not be checked.
Result<bool> verify(const BackupOptions& options);

}  // namespace partita::cli
