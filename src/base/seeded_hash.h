// A hash for tables in memory whose keys others choose.
#pragma once

#include <cstdint>
#include <string_view>

namespace partita {

// Fast and well mixed (XXH3). Each seed makes another hash.
uint64_t seeded_hash64(std::string_view bytes, uint64_t seed);

}  // namespace partita
