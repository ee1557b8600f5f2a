// The engine's numbers for an operator, as docs/operations.md lists them.
#pragma once

#include "base/exposition.h"
#include "engines/rocksdb/store.h"

namespace partita::rocks {

// Waits for nothing but RocksDB's own lock. Callable from any thread.
void report(const Store& store, Exposition& out);

}  // namespace partita::rocks
