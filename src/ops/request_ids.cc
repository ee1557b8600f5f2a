#include "ops/request_ids.h"

#include <cstring>

namespace partita::ops {

// Of each random byte five bits, as a digit of 32: '0' to '9', then 'A' to 'V'. Eight at once.
void RequestIds::next(Id& id) {
  constexpr size_t kWords = (kSize + 7) / 8;
  constexpr uint64_t kEach = 0x0101010101010101;
  std::array<char, kWords * 8> digits;
  for (size_t word = 0; word < kWords; ++word) {
    const uint64_t values = splitmix64(state_) & (kEach * 31);
    const uint64_t letters = ((values + kEach * (0x80 - 10)) >> 7) & kEach;
    const uint64_t eight = values + kEach * '0' + letters * ('A' - '9' - 1);
    std::memcpy(&digits[word * 8], &eight, 8);
  }
  std::memcpy(id.data(), digits.data(), kSize);
}

}  // namespace partita::ops
