// Calls of IAM and STS: forms in, XML out, by the same port.
#pragma once

#include <span>
#include <string>

#include "auth/authenticate.h"
#include "base/result.h"
#include "base/task.h"
#include "ops/call.h"
#include "ops/operation.h"

namespace partita::iam {
class Directory;
}

namespace partita::ops {

// A row for each call, in the order of iam::calls(): for counting and for the audit log.
std::span<const Operation> account_operations();

// Never fails, as Service::call(). `directory`: null when there are no users here to be asked about.
Task<Reply> answer_form(table::Database& database, Admission& admission, iam::Directory* directory, const Call& call);

}  // namespace partita::ops
