// The verbs of the command line: one row each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/options.h"

namespace partita::cli {

struct VerbRow {
  std::string_view name;  // one to three words
  Verb verb;
  std::string_view arguments;  // as the usage line shows them
  std::string_view help;       // its first sentence stands alone in lists of verbs
  std::span<const Flag> flags;
  Result<void> (*finish)(Draft&) = [](Draft&) -> Result<void> { return {}; };  // after the last word
  Result<void> (*take)(Draft&, std::string_view) = nullptr;  // a word that is no flag; null: the verb takes none
};

// All of them, in the order of `partita help`.
const std::vector<VerbRow>& all_verbs();

// Null when no verb has this name.
const VerbRow* find_verb(std::string_view name);

// Whether verbs of several words begin with it: "user" for "user create".
bool is_first_word(std::string_view word);

}  // namespace partita::cli
