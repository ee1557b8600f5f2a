// What `partita help` prints: 80 columns, options and verbs in groups, examples.
#pragma once

#include <string>
#include <string_view>

namespace partita::cli {

// Ends with a line feed. No line is longer than 80 characters, except for a word that is longer itself.
// Precondition: the topic is a verb, the first word of some, or empty.
std::string help_text(std::string_view topic);

}  // namespace partita::cli
