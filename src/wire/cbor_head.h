// What begins every data item of CBOR.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace partita::wire {

// The kinds of data items, in the highest three bits of their first byte.
enum class CborMajor : uint8_t { kUnsigned, kNegative, kBytes, kText, kArray, kMap, kTag, kSimple };

// The lowest five bits of the first byte of a kSimple.
inline constexpr uint8_t kCborFalse = 20;
inline constexpr uint8_t kCborTrue = 21;
inline constexpr uint8_t kCborNull = 22;
inline constexpr uint8_t kCborUndefined = 23;
inline constexpr uint8_t kCborHalf = 25;
inline constexpr uint8_t kCborFloat = 26;
inline constexpr uint8_t kCborDouble = 27;
inline constexpr uint8_t kCborBreak = 31;
inline constexpr uint8_t kCborIndefinite = 31;  // of all others

inline constexpr size_t kMaxCborHeadBytes = 9;

// The first byte of a data item and the number that follows it.
struct CborHead {
  CborMajor major = CborMajor::kSimple;
  uint8_t low = kCborBreak;
  uint64_t argument = 0;  // a value, a size, a count, a tag, the bits of a float; UINT64_MAX for an indefinite length

  bool indefinite() const { return low == kCborIndefinite; }
  bool is_simple(uint8_t value) const { return major == CborMajor::kSimple && low == value; }
};

// Writes the shortest head; returns its end. `out` needs room for kMaxCborHeadBytes.
inline char* write_cbor_head(char* out, CborMajor major, uint64_t argument) {
  const auto bits = static_cast<uint8_t>(static_cast<uint8_t>(major) << 5);
  const auto put = [&out, bits]<class Word>(uint8_t low, Word word) {
    if constexpr (std::endian::native == std::endian::little) word = std::byteswap(word);
    *out = static_cast<char>(bits | low);
    std::memcpy(out + 1, &word, sizeof word);
    return out + 1 + sizeof word;
  };
  if (argument < 24) {
    *out = static_cast<char>(bits | argument);
    return out + 1;
  }
  if (argument <= UINT8_MAX) return put(24, static_cast<uint8_t>(argument));
  if (argument <= UINT16_MAX) return put(25, static_cast<uint16_t>(argument));
  if (argument <= UINT32_MAX) return put(26, static_cast<uint32_t>(argument));
  return put(27, argument);
}

constexpr size_t cbor_head_size(uint64_t argument) {
  return argument < 24            ? 1
         : argument <= UINT8_MAX  ? 2
         : argument <= UINT16_MAX ? 3
         : argument <= UINT32_MAX ? 5
                                  : kMaxCborHeadBytes;
}

}  // namespace partita::wire
