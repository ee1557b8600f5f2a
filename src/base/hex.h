// Hexadecimal digits.
#pragma once

#include <optional>

namespace partita {

// The value of a hexadecimal digit of either case; nullopt for any other character.
constexpr std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

}  // namespace partita
