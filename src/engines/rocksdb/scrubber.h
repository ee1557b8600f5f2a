// Implements scrub.h on the open store.
#pragma once

#include <memory>

#include "base/result.h"
#include "engines/rocksdb/scrub.h"
#include "engines/rocksdb/store.h"

namespace partita::rocks {

Result<std::unique_ptr<Scrub>> begin_scrub(Store& store, const ScrubOptions& options);

}  // namespace partita::rocks
