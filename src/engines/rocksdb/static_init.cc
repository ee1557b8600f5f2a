#include "engines/rocksdb/static_init.h"

extern "C" {
using PartitaInitialiser = void (*)(int, char**, char**);
// Made by the linker. Null where RocksDB is initialised like the rest of the program.
[[gnu::weak, gnu::visibility("hidden")]] extern const PartitaInitialiser partita_rocksdb_init_begin[];
[[gnu::weak, gnu::visibility("hidden")]] extern const PartitaInitialiser partita_rocksdb_init_end[];
}

namespace partita::rocks {

void initialise_rocksdb() {
  static const bool done = [] {
    for (const PartitaInitialiser* one = partita_rocksdb_init_begin; one != partita_rocksdb_init_end; ++one) {
      (*one)(0, nullptr, nullptr);
    }
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace partita::rocks
