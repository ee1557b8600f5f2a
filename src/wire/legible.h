// What came from outside and need be no text, such as a header, for a text that people and JSON's readers are shown.
#pragma once

#include <string>
#include <string_view>

namespace partita::wire {

// The bytes as they are when they are UTF-8; else with a question mark for each that is no ASCII.
std::string legible(std::string_view bytes);

}  // namespace partita::wire
