// The scrub of storage/backup.h over an open store.
#pragma once

#include <memory>

#include "base/result.h"
#include "engines/rocksdb/store.h"
#include "storage/backup.h"

namespace partita::rocks {

Result<std::unique_ptr<storage::Scrub>> begin_scrub(Store& store, const storage::ScrubOptions& options);

}  // namespace partita::rocks
