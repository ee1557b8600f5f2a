// The storage contract in memory: an ordered map under one lock. `--in-memory` uses it, and it is the oracle that every
// other engine is tested against, so it favours simplicity over speed.
//
// Nothing is durable: the data ends with the engine. Every call completes on the calling thread without suspending; no
// call fails, and no transaction ends in a conflict.
#pragma once

#include <memory>

#include "storage/engine.h"

namespace partita {

std::unique_ptr<storage::Engine> open_memory_engine();

}  // namespace partita
