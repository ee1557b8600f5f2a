// Writes the engine's metrics, which docs/operations.md lists.
#pragma once

#include "base/exposition.h"
#include "engines/rocksdb/store.h"

namespace partita::rocks {

// Does no I/O, but takes RocksDB's mutex. Callable from any thread.
void report(const Store& store, Exposition& out);

}  // namespace partita::rocks
