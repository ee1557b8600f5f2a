#include "sinks/raw_json.h"

#include <algorithm>

namespace partita::sinks {

namespace {

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

bool take_char(std::string_view& text, char c) {
  skip_blanks(text);
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// The size of the string at the front, with its quotes; 0 if it has no end.
size_t string_size(std::string_view text) {
  constexpr std::string_view kEnds = "\"\\";
  for (size_t i = text.find_first_of(kEnds, 1); i != std::string_view::npos; i = text.find_first_of(kEnds, i + 2)) {
    if (text[i] == '"') return i + 1;
  }
  return 0;
}

// The size of the object or array at the front; 0 if it has no end.
size_t container_size(std::string_view text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    i = text.find_first_of("\"{}[]", i);
    if (i == std::string_view::npos) return 0;
    if (text[i] == '"') {
      const size_t size = string_size(text.substr(i));
      if (size == 0) return 0;
      i += size - 1;
    } else if (text[i] == '{' || text[i] == '[') {
      ++depth;
    } else if (--depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

std::optional<std::string_view> take_value(std::string_view& text) {
  skip_blanks(text);
  size_t size = 0;
  if (text.starts_with('"')) {
    size = string_size(text);
  } else if (text.starts_with('{') || text.starts_with('[')) {
    size = container_size(text);
  } else {
    size = std::min(text.find_first_of(",]} \t\r\n"), text.size());
  }
  if (size == 0) return std::nullopt;
  const std::string_view value = text.substr(0, size);
  text.remove_prefix(size);
  return value;
}

}  // namespace

std::optional<std::string_view> raw_member(std::string_view object, std::string_view name) {
  if (!take_char(object, '{')) return std::nullopt;
  do {
    skip_blanks(object);
    if (!object.starts_with('"')) return std::nullopt;
    const auto key = take_value(object);
    if (!key || !take_char(object, ':')) return std::nullopt;
    const auto value = take_value(object);
    if (!value) return std::nullopt;
    if (key->substr(1, key->size() - 2) == name) return value;
  } while (take_char(object, ','));
  return std::nullopt;
}

RawElements::RawElements(std::string_view array) : rest_(array) {
  if (!take_char(rest_, '[')) rest_ = {};
}

std::optional<std::string_view> RawElements::next() {
  const auto element = take_value(rest_);
  if (!element || !take_char(rest_, ',')) rest_ = {};
  return element;
}

}  // namespace partita::sinks
