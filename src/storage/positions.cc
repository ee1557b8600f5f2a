#include "storage/positions.h"

namespace partita::storage {

std::optional<uint64_t> position_number(const Position& position) {
  const uint64_t number = leading_number(position);
  return numbered_position(number) == position ? std::optional(number) : std::nullopt;
}

uint64_t leading_number(const Position& position) {
  uint64_t number = 0;
  for (size_t i = 0; i < sizeof number; ++i) number = number << 8 | position.bytes[i];
  return number;
}

Position numbered_position(uint64_t number) {
  Position position;
  for (size_t i = sizeof number; i-- > 0; number >>= 8) position.bytes[i] = static_cast<uint8_t>(number);
  return position;
}

Error no_room_for_position() {
  return Error(ErrorKind::kTooLarge,
               "This kind of store has no room for the positions of the other's streams: copy to a store of "
               "the other's kind, or have a client read the tables there and write them here.");
}

}  // namespace partita::storage
