// A verb of the program, as its file describes it.
#pragma once

#include <span>
#include <string_view>

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

}  // namespace partita::cli
