// `partita user`, `group`, `role` and `policy`: each is one call of IAM, or two, over the administration socket of a
// server that runs.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "cli/command_line.h"

namespace partita::cli {

struct AccountVerb {
  std::string_view name;       // "user create"
  std::string_view arguments;  // "NAME"
  std::string_view help;
  // Calls of IAM, with spaces between them; "{}" stands for User, Group or Role, as the first word says.
  std::string_view calls;
  // What the words are: parameters, with spaces between them. KIND: what "{}" is; @NAME: the file of that parameter.
  std::string_view parameters;
  // Of the reply, what each line shows of each <member>, or of the whole; empty: all of it, with its names.
  std::string_view shown;
};

std::span<const AccountVerb> account_verbs();
// The verb that makes a key.
inline constexpr std::string_view kKeyVerb = "user key create";

// Error: kInvalid (reason 0), when there are not as many words as the verb takes.
Result<void> check_account_verb(const CommandLine& line);
// Prints what came of it. Errors, with one sentence: kUnavailable, kInvalid for what IAM refuses.
Result<void> run_account_verb(const CommandLine& line);

}  // namespace partita::cli
