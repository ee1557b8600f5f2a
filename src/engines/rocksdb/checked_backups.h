// The file PARTITA-CHECKED of a directory of backups: which backups were made to their end and checked. A backup that
// it names and that is not there is lost, and one that is there and that it does not name was never checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace partita::rocks {

// By their ids, the store of each; empty: not known.
using CheckedBackups = std::map<uint32_t, std::string>;

// Nothing when there is no such file, as in directories of older versions, or when it is damaged. Error: kUnavailable,
// with one sentence, when it cannot be read.
Result<std::optional<CheckedBackups>> read_checked_backups(const std::string& directory);
// Atomically, and synced. Error: kUnavailable, with one sentence.
Result<void> write_checked_backups(const std::string& directory, const CheckedBackups& checked);

}  // namespace partita::rocks
