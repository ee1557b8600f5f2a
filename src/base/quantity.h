// Numbers with their units, for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace partita {

// "12.5 MiB"
std::string mebibytes(uint64_t bytes);

// "1 row", "2 rows"
std::string counted(uint64_t count, std::string_view one, std::string_view many);

}  // namespace partita
