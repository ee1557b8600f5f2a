// The verbs of the program: one row each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/options.h"

namespace partita::cli {

// The build of this program.
struct Build {
  std::string_view version;
  std::string_view revision;
};

struct VerbRow {
  std::string_view name;       // one to three words
  std::string_view arguments;  // for the usage line
  std::string_view help;       // lists of verbs show its first sentence
  std::span<const Flag> flags;
  // Runs the verb: its exit code, or an error of one sentence. Null: main() runs it.
  Result<int> (*run)(const CommandLine& line, const Build& build);
  // Called after the last word.
  Result<void> (*finish)(Draft&) = [](Draft&) -> Result<void> { return {}; };
  // Takes a word that is no flag. Null: the verb takes none.
  Result<void> (*take)(Draft&, std::string_view) = nullptr;
  int error_code = 1;  // the exit code if `run` fails
};

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
