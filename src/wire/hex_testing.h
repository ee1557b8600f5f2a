// Bytes as hexadecimal digits, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace partita::wire {

inline std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

inline std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<uint8_t>(byte) >> 4];
    hex += kDigits[static_cast<uint8_t>(byte) & 0xf];
  }
  return hex;
}

}  // namespace partita::wire
