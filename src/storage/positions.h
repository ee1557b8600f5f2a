// For engines whose positions are numbers: of 8 bytes, with zeros behind them.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "storage/engine.h"

namespace partita::storage {

// Nothing for any other.
std::optional<uint64_t> position_number(const Position& position);
// Of any: the greatest number whose position is not behind it.
uint64_t leading_number(const Position& position);
Position numbered_position(uint64_t number);
// The refusal of restore_log() for such.
Error no_room_for_position();

}  // namespace partita::storage
