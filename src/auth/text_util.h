// Splitting and decoding of texts in a request's head and query.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace partita::auth {

inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Without spaces and tabs at both ends.
std::string_view trim(std::string_view text);

// A region appears in names and replies, so only characters of region names are allowed.
bool is_region(std::string_view text);

// Digits alone. Precondition: at most 9.
std::optional<unsigned> number_of_digits(std::string_view text);

// Seconds since 1970 of a date of AWS's, "20260102T030405Z"; nothing for any other text.
std::optional<int64_t> seconds_of_date(std::string_view date);

// Calls `visit` with each non-empty part of `text` between separators.
template <class IsSeparator, class Visit>
void split(std::string_view text, IsSeparator is_separator, Visit visit) {
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && !is_separator(text[at])) continue;
    if (at > begin) visit(text.substr(begin, at - begin));
    begin = at + 1;
  }
}

// The same with a single separator.
template <class Visit>
void split(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Splits "name=value". Without an equals sign, all of it is the name.
std::pair<std::string_view, std::string_view> split_pair(std::string_view text);

// Encodes each byte as %XX, except letters, digits, "-_.~" and `also_plain`.
void append_percent(std::string& out, std::string_view text, std::string_view also_plain = {});
std::string encode_percent(std::string_view text);
// Decodes each %XX. Malformed ones stay as they are.
std::string decode_percent(std::string_view text);

}  // namespace partita::auth
