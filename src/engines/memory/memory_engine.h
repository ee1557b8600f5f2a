// The storage contract kept in memory: an ordered map under one lock. It is what `--in-memory` serves from, and the
// oracle that every other engine is tested against, so it is simple before it is fast.
//
// Nothing is durable: everything is gone when the engine is. Every call completes before it first suspends, on the
// calling thread; no call fails, and no transaction ends in a conflict.
#pragma once

#include <memory>

#include "storage/engine.h"

namespace partita {

std::unique_ptr<storage::Engine> open_memory_engine();

}  // namespace partita
