// The files that say who may call, and what they may do.
#pragma once

#include <optional>
#include <string>

#include "auth/account.h"
#include "auth/credentials.h"
#include "auth/identities.h"
#include "auth/policy.h"
#include "base/result.h"
#include "cli/command_line.h"

namespace partita::cli {

// Errors of all: kInvalid (reason 0), with one sentence that names the file.

struct Callers {
  std::optional<auth::Account> account;          // of the file of identities
  std::optional<auth::Identities> identities;    // the same, to judge by
  std::optional<auth::Credentials> credentials;  // bound to the identities, when there are any
};
// What `serve` is told to read; `callers` stays where it is.
Result<void> read_callers(const CommandLine& line, Callers& callers);

// The first line of the file, without blanks at its ends: what the header of a request can carry.
Result<std::string> read_token(const std::string& path);
Result<auth::Account> read_account(const std::string& path);
// As it is.
Result<std::string> read_document(const std::string& path);
Result<auth::Policy> read_resource_policy(const std::string& path);

}  // namespace partita::cli
