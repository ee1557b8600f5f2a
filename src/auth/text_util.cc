#include "auth/text_util.h"

#include <algorithm>
#include <chrono>
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

std::optional<unsigned> number_of_digits(std::string_view text) {
  unsigned number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number;
}

std::optional<int64_t> seconds_of_date(std::string_view date) {
  if (date.size() != 16 || date[8] != 'T' || date[15] != 'Z') return std::nullopt;
  const auto day = number_of_digits(date.substr(0, 8));
  const auto time = number_of_digits(date.substr(9, 6));
  if (!day || !time) return std::nullopt;
  const std::chrono::year_month_day calendar{std::chrono::year(static_cast<int>(*day / 10'000)),
                                             std::chrono::month(*day / 100 % 100), std::chrono::day(*day % 100)};
  const unsigned hour = *time / 10'000;
  const unsigned minute = *time / 100 % 100;
  const unsigned second = *time % 100;
  if (!calendar.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return int64_t{std::chrono::sys_days(calendar).time_since_epoch().count()} * 86'400 + hour * 3'600 + minute * 60 +
         second;
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
