#include "base/bytes.h"

#include <libdeflate.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <cstring>

namespace partita {

namespace {

constexpr char kBase64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> base64_values() {
  std::array<int8_t, 256> values{};
  for (auto& value : values) value = -1;
  for (int i = 0; i < 64; ++i) values[static_cast<uint8_t>(kBase64[i])] = static_cast<int8_t>(i);
  return values;
}
constexpr auto kBase64Values = base64_values();

// To and from the machine's own order.
template <class Unsigned>
Unsigned big_endian(Unsigned value) {
  return std::endian::native == std::endian::big ? value : std::byteswap(value);
}

template <class Unsigned>
void append_big_endian(std::string& out, Unsigned value) {
  const Unsigned bytes = big_endian(value);
  out.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}

template <class Unsigned>
std::optional<Unsigned> take_big_endian(std::string_view& in) {
  if (in.size() < sizeof(Unsigned)) return std::nullopt;
  Unsigned bytes;
  std::memcpy(&bytes, in.data(), sizeof bytes);
  in.remove_prefix(sizeof(Unsigned));
  return big_endian(bytes);
}

// The length of the well-formed UTF-8 sequence at the front, or 0.
size_t utf8_sequence(const unsigned char* s, size_t size) {
  auto tail = [&](size_t i) { return i < size && (s[i] & 0xc0) == 0x80; };
  if (s[0] < 0x80) return 1;
  if (s[0] < 0xc2) return 0;
  if (s[0] < 0xe0) return tail(1) ? 2 : 0;
  if (s[0] < 0xf0) {
    if (!tail(1) || !tail(2)) return 0;
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
    if (s[0] == 0xed && s[1] > 0x9f) return 0;  // surrogates
    return 3;
  }
  if (s[0] > 0xf4 || !tail(1) || !tail(2) || !tail(3)) return 0;
  if (s[0] == 0xf0 && s[1] < 0x90) return 0;
  if (s[0] == 0xf4 && s[1] > 0x8f) return 0;
  return 4;
}

}  // namespace

void append_u16(std::string& out, uint16_t value) { append_big_endian(out, value); }
void append_u32(std::string& out, uint32_t value) { append_big_endian(out, value); }
void append_u64(std::string& out, uint64_t value) { append_big_endian(out, value); }

std::optional<uint8_t> take_u8(std::string_view& in) { return take_big_endian<uint8_t>(in); }
std::optional<uint16_t> take_u16(std::string_view& in) { return take_big_endian<uint16_t>(in); }
std::optional<uint32_t> take_u32(std::string_view& in) { return take_big_endian<uint32_t>(in); }
std::optional<uint64_t> take_u64(std::string_view& in) { return take_big_endian<uint64_t>(in); }

void append_varint(std::string& out, uint64_t value) {
  if (value < 0x80) return out.push_back(static_cast<char>(value));
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

std::optional<uint64_t> take_varint(std::string_view& in) {
  uint64_t value = 0;
  for (size_t i = 0; i < in.size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>(in[i]);
    if (i == 9 && byte > 1) return std::nullopt;
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      in.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

void append_sized(std::string& out, std::string_view bytes) {
  append_varint(out, bytes.size());
  out.append(bytes);
}

std::optional<std::string_view> take_sized(std::string_view& in) {
  std::string_view rest = in;
  const auto size = take_varint(rest);
  if (!size || *size > rest.size()) return std::nullopt;
  const std::string_view bytes = rest.substr(0, *size);
  rest.remove_prefix(*size);
  in = rest;
  return bytes;
}

char* write_base64(char* out, std::string_view bytes) {
  auto at = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])); };
  auto put = [&](uint32_t bits) {
    for (const int shift : {18, 12, 6, 0}) *out++ = kBase64[bits >> shift & 63];
  };
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) put(at(i) << 16 | at(i + 1) << 8 | at(i + 2));
  const size_t left = bytes.size() - i;
  if (left == 0) return out;
  put(at(i) << 16 | (left == 2 ? at(i + 1) << 8 : 0));
  out[-1] = '=';
  if (left == 1) out[-2] = '=';
  return out;
}

void append_base64(std::string& out, std::string_view bytes) {
  const size_t before = out.size();
  out.resize(before + base64_size(bytes.size()));
  write_base64(out.data() + before, bytes);
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const size_t padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] == '=' ? 2 : 1;
    uint32_t bits = 0;
    for (size_t k = 0; k < 4; ++k) {
      const int8_t value = k >= 4 - padding ? int8_t{0} : kBase64Values[static_cast<uint8_t>(text[i + k])];
      if (value < 0) return std::nullopt;
      bits = bits << 6 | static_cast<uint32_t>(value);
    }
    if ((padding == 1 && (bits & 0xff) != 0) || (padding == 2 && (bits & 0xffff) != 0)) return std::nullopt;
    const char triple[] = {static_cast<char>(bits >> 16), static_cast<char>(bits >> 8), static_cast<char>(bits)};
    out.append(triple, 3 - padding);
  }
  return out;
}

bool is_base64(std::string_view text) {
  size_t letters = text.size();
  while (letters > 0 && text.size() - letters < 2 && text[letters - 1] == '=') --letters;
  int last = 0;
  for (const char c : text.substr(0, letters)) {
    last = int{kBase64Values[static_cast<uint8_t>(c)]};
    if (last < 0) return false;
  }
  const size_t padding = text.size() - letters;
  const int stray = padding == 2 ? 0xf : padding == 1 ? 0x3 : 0;
  return (last & stray) == 0;
}

bool is_utf8(std::string_view bytes) {
  const auto* s = reinterpret_cast<const unsigned char*>(bytes.data());
  for (size_t i = 0; i < bytes.size();) {
    const size_t length = utf8_sequence(s + i, bytes.size() - i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string_view utf8_prefix(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return text.substr(0, most);
}

size_t utf16_length(std::string_view text) {
  size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) != 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

std::optional<std::string> prefix_end(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<uint8_t>(end.back()) == 0xff) end.pop_back();
  if (end.empty()) return std::nullopt;
  end.back() = static_cast<char>(static_cast<uint8_t>(end.back()) + 1);
  return end;
}

uint32_t crc32(std::string_view bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

uint64_t hash64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace partita
