// The verbs of the program: one row each.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/verb_row.h"

namespace partita::cli {

// The verbs without VerbRow::run.
inline constexpr std::string_view kServeVerb = "serve";
inline constexpr std::string_view kHelpVerb = "help";

// In the order of `partita help`.
const std::vector<VerbRow>& all_verbs();

// Null if no verb has this name.
const VerbRow* find_verb(std::string_view name);

// Whether verbs of several words begin with it: "user" for "user create".
bool is_first_word(std::string_view word);

// The error for a word that begins no verb. Kind: kInvalid (reason 0).
Error unknown_verb(std::string_view word);

}  // namespace partita::cli
