// The bytes of one run of a fuzz target, taken from the front. What is missing reads as zero or as empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"

namespace partita::fuzz {

class Input {
 public:
  Input(const uint8_t* data, size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  // 0 to count - 1.
  size_t choice(size_t count) { return byte() % count; }
  bool flag() { return (byte() & 1) != 0; }

  std::string_view bytes(size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  // Up to a line feed, which is taken too.
  std::string_view line() {
    const size_t end = rest_.find('\n');
    const std::string_view taken = bytes(end);
    bytes(1);
    return taken;
  }

 private:
  std::string_view rest_;
};

}  // namespace partita::fuzz
