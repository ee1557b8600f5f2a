#include "wire/legible.h"

#include <algorithm>

#include "base/bytes.h"

namespace partita::wire {

std::string legible(std::string_view bytes) {
  std::string text(bytes);
  if (!is_utf8(text)) std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

std::string without_controls(std::string text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) text[i] = ' ';
    const bool is_second = byte >= 0x80 && byte < 0xa0 && i > 0 && text[i - 1] == '\xc2';
    if (is_second) text[i - 1] = text[i] = ' ';
  }
  return text;
}

}  // namespace partita::wire
