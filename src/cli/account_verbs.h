// `partita user`, `group`, `role` and `policy`: each makes one or more calls of IAM over the administration socket of a
// running server.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace partita::cli {

struct AccountVerb {
  std::string_view name;       // "user create"
  std::string_view arguments;  // "NAME"
  std::string_view help;
  // The calls, separated by spaces; "{}" becomes User, Group or Role, as the first argument says.
  std::string_view calls;
  // The parameter of each argument, separated by spaces. KIND sets "{}"; @NAME reads the parameter NAME from a file.
  std::string_view parameters;
  // The elements of each <member> of the reply, or of the reply, that one line shows; empty: all, with their names.
  std::string_view shown;
};

std::span<const AccountVerb> account_verbs();
bool is_account_verb(std::string_view name);
// Creates an access key.
inline constexpr std::string_view kKeyVerb = "user key create";

struct AccountOptions {
  std::string verb;                // of account_verbs()
  std::vector<std::string> words;  // its arguments
  std::string server;              // its directory or its socket
  std::string credentials_file;    // the file for a new access key; empty: print the key
};

// Error: kInvalid (reason 0), if the verb takes another number of arguments.
Result<void> check_account_verb(const AccountOptions& options);
// Prints the result. Errors, one sentence each: kUnavailable, kInvalid if IAM refuses the call.
Result<void> run_account_verb(const AccountOptions& options);

}  // namespace partita::cli
