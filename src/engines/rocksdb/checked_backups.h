// The file PARTITA-CHECKED of a backup directory: which backups are complete and checked. A backup that it names and
// that does not exist is lost; one that exists and that it does not name was never checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace partita::rocks {

// The id of the store by the id of the backup; empty: not known.
using CheckedBackups = std::map<uint32_t, std::string>;

// Nothing if there is no such file, as in directories of older versions, or if it is damaged. Error: kUnavailable, with
// one sentence, if it cannot be read.
Result<std::optional<CheckedBackups>> read_checked_backups(const std::string& directory);
// Atomically, and synced. Error: kUnavailable, with one sentence.
Result<void> write_checked_backups(const std::string& directory, const CheckedBackups& checked);

}  // namespace partita::rocks
