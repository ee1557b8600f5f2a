// Files with callers and policies: credentials, identities, tokens, policy documents.
#pragma once

#include <optional>
#include <string>

#include "auth/account.h"
#include "auth/credentials.h"
#include "auth/identities.h"
#include "auth/policy.h"
#include "base/result.h"
#include "cli/serve_options.h"

namespace partita::cli {

// Errors of all: kInvalid (reason 0), with one sentence that names the file.

struct Callers {
  std::optional<auth::Account> account;          // of the identities file
  std::optional<auth::Identities> identities;    // the same, compiled
  std::optional<auth::Credentials> credentials;  // bound to `identities`, if present
};
// Reads the files of `options` into `callers`, which must not be moved afterwards.
Result<void> read_callers(const AccessOptions& options, Callers& callers);

// The first line of the file, trimmed: a value for an HTTP header.
Result<std::string> read_token(const std::string& path);
Result<auth::Account> read_account(const std::string& path);
// The whole file.
Result<std::string> read_document(const std::string& path);
Result<auth::Policy> read_resource_policy(const std::string& path);

}  // namespace partita::cli
