// Makes bytes from outside that may not be text, such as a header, safe to show to people and to JSON parsers.
#pragma once

#include <string>
#include <string_view>

namespace partita::wire {

// The bytes unchanged if they are UTF-8, otherwise with a question mark for each byte that is not ASCII.
std::string legible(std::string_view bytes);

// UTF-8 with a space for each control character, which terminals would obey: those of ASCII, and U+0080 to U+009F.
std::string without_controls(std::string text);

}  // namespace partita::wire
