// Memory of this program that runs out when a test says so.
#pragma once

#include <cstdint>

namespace partita::contract {

// How many allocations of this thread succeed before one fails; negative, as it is then again: any number.
extern thread_local int64_t allocations_left;

}  // namespace partita::contract
