#include "auth/text_util.h"

#include <algorithm>
#include <optional>

#include "base/hex.h"

namespace partita::auth {

namespace {

// The byte that "%XX" at the front stands for; nothing for anything else.
std::optional<char> byte_of(std::string_view escape) {
  if (escape.size() < 3 || escape[0] != '%') return std::nullopt;
  const auto high = hex_digit(escape[1]);
  const auto low = hex_digit(escape[2]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(*high << 4 | *low);
}

}  // namespace

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_region(std::string_view text) {
  constexpr size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::pair<std::string_view, std::string_view> split_pair(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {text, {}};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void append_percent(std::string& out, std::string_view text, std::string_view also_plain) {
  const auto is_unreserved = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || c == '~';
  };
  for (const char c : text) {
    if (is_unreserved(c) || also_plain.find(c) != std::string_view::npos) {
      out.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out.append({'%', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15]});
    }
  }
}

std::string encode_percent(std::string_view text) {
  std::string out;
  append_percent(out, text);
  return out;
}

std::string decode_percent(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = byte_of(text.substr(i));
    out.push_back(byte.value_or(text[i]));
    if (byte) i += 2;
  }
  return out;
}

}  // namespace partita::auth
