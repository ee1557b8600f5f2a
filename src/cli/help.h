// The text of `partita help`: 80 columns, verbs and options in groups, examples.
#pragma once

#include <string>
#include <string_view>

namespace partita::cli {

// Ends with a line feed. Lines have at most 80 characters, unless a single word is longer.
// Precondition: the topic is a verb, the first word of several, or empty.
std::string help_text(std::string_view topic);

}  // namespace partita::cli
