// Memory of this program that runs out when a test says so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace partita::contract {

// How many allocations of this thread succeed before one fails; negative, as it is then again: any number.
extern thread_local int64_t allocations_left;
// The largest that any thread is given.
extern std::atomic<size_t> largest_allocation;

}  // namespace partita::contract
