#include "wire/legible.h"

#include <algorithm>

#include "base/bytes.h"

namespace partita::wire {

std::string legible(std::string_view bytes) {
  std::string text(bytes);
  if (!is_utf8(text)) std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

}  // namespace partita::wire
