// Byte strings: std::string owns, std::string_view borrows. All integers are big-endian, so that byte order is numeric
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partita {

void append_u16(std::string& out, uint16_t value);
void append_u32(std::string& out, uint32_t value);
void append_u64(std::string& out, uint64_t value);

// Reads from the front of `in` and removes what was read. Nullopt, and `in` unchanged, if `in` is too short.
std::optional<uint8_t> take_u8(std::string_view& in);
std::optional<uint16_t> take_u16(std::string_view& in);
std::optional<uint32_t> take_u32(std::string_view& in);
std::optional<uint64_t> take_u64(std::string_view& in);

// LEB128: 7 bits per byte, low bits first.
void append_varint(std::string& out, uint64_t value);
std::optional<uint64_t> take_varint(std::string_view& in);

// A varint length, then the bytes. The result of take_sized() points into `in`.
void append_sized(std::string& out, std::string_view bytes);
std::optional<std::string_view> take_sized(std::string_view& in);

// Standard base64 with padding. Decoding is strict: nullopt for any other character, missing padding or stray bits.
void append_base64(std::string& out, std::string_view bytes);
constexpr size_t base64_size(size_t bytes) { return (bytes + 2) / 3 * 4; }
char* write_base64(char* out, std::string_view bytes);  // writes base64_size() characters; returns the end
std::optional<std::string> decode_base64(std::string_view text);
// Whether decode_base64() would accept the text if its length were a multiple of 4.
bool is_base64(std::string_view text);

bool is_utf8(std::string_view bytes);
// At most `most` bytes of the text; a character that does not fit is left out whole.
std::string_view utf8_prefix(std::string_view text, size_t most);
// The number of UTF-16 code units, which DynamoDB's Java counts as the length. Precondition: is_utf8.
size_t utf16_length(std::string_view text);

// The smallest byte string greater than every string that starts with `prefix`; nullopt if there is none (all 0xff).
std::optional<std::string> prefix_end(std::string_view prefix);

// CRC-32 (IEEE 802.3), as in the x-amz-crc32 header.
uint32_t crc32(std::string_view bytes);

// A fast, well-mixed 64-bit hash (XXH3). It is stored on disk, so it never changes.
uint64_t hash64(std::string_view bytes);

}  // namespace partita
