// Texts of a request's head and query, taken apart.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace partita::auth {

inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Without spaces and tabs at both ends.
std::string_view trim(std::string_view text);

// A region goes into names and replies, so it has no other characters than a region has.
bool is_region(std::string_view text);

// Calls `visit` with each part of `text` between separators, without the empty ones.
template <class IsSeparator, class Visit>
void split(std::string_view text, IsSeparator is_separator, Visit visit) {
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && !is_separator(text[at])) continue;
    if (at > begin) visit(text.substr(begin, at - begin));
    begin = at + 1;
  }
}

// The same, where they are all that character.
template <class Visit>
void split(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// "name=value"; all of it is the name where there is no equal-sign.
std::pair<std::string_view, std::string_view> split_pair(std::string_view text);

// With %XX for each byte but the letters, digits and "-_.~", which stay, and those that are `also_plain`.
void append_percent(std::string& out, std::string_view text, std::string_view also_plain = {});
std::string encode_percent(std::string_view text);
// With each %XX as the byte that it stands for; what only looks so stays.
std::string decode_percent(std::string_view text);

}  // namespace partita::auth
