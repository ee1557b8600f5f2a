// For engines whose positions are numbers: 8 bytes, followed by zeros.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "storage/engine.h"

namespace partita::storage {

// Nullopt for a position in another format.
std::optional<uint64_t> position_number(const Position& position);
// For any position: the greatest number whose position is not after it.
uint64_t leading_number(const Position& position);
Position numbered_position(uint64_t number);
// The error of restore_log() for positions in another format.
Error no_room_for_position();

}  // namespace partita::storage
