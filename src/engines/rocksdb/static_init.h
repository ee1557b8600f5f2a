// RocksDB's static initialisers: a third of the instructions of a start, which a server without a directory saves.
#pragma once

namespace partita::rocks {

// Runs them, once, where they do not run before main(), as src/app/CMakeLists.txt links the program; elsewhere
// does nothing. Before anything of RocksDB is used. Callable from any thread.
void initialise_rocksdb();

}  // namespace partita::rocks
