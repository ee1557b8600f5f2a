// `partita policy simulate`: what policies decide of a request, by a file of identities or by what a running server
// has.
#pragma once

#include "admin/admin.h"
#include "base/result.h"
#include "cli/command_line.h"
#include "iam/directory.h"
#include "ops/service.h"

namespace partita::cli {

// Prints the decision, in the words that a caller would be told. False: it is no. Errors, one sentence each: kInvalid
// (reason 0), kUnavailable.
Result<bool> simulate(const CommandLine& line);

// Has the server answer the same by its own users, tables and resource policies. All outlive it.
void answer_simulations(admin::Admin& admin, iam::Directory& directory, ops::Service& service);

}  // namespace partita::cli
