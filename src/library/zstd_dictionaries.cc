// In place of zstd's makers of dictionaries, which RocksDB calls only for options that Partita does not set. In
// Debian's archive they are the one part that no shared library can be linked of: they print to stderr.
#include <cstddef>

extern "C" {

size_t ZDICT_trainFromBuffer(void* /*dictionary*/, size_t /*capacity*/, const void* /*samples*/,
                             const size_t* /*sizes*/, unsigned /*count*/) {
  return static_cast<size_t>(-1);
}

size_t ZDICT_finalizeDictionary(void* /*dictionary*/, size_t /*capacity*/, const void* /*content*/, size_t /*size*/,
                                const void* /*samples*/, const size_t* /*sizes*/, unsigned /*count*/,
                                const void* /*parameters*/) {
  return static_cast<size_t>(-1);
}

unsigned ZDICT_isError(size_t code) { return code == static_cast<size_t>(-1) ? 1 : 0; }
}
