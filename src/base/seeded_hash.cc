#include "base/seeded_hash.h"

#include <xxhash.h>

namespace partita {

uint64_t seeded_hash64(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace partita
