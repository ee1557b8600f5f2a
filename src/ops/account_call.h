// Calls of IAM and STS, at the same address as DynamoDB's: the body is a form, the reply is XML.
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

// A row for each call, in the order of iam::calls(), for metrics and the audit log. Static storage.
std::span<const Operation> account_operations();

// Never fails, like Service::call(). `directory`: null if the server has no users in its store; the call is then
// refused. All arguments outlive the task. Callable from any thread.
Task<Reply> answer_form(table::Database& database, Admission& admission, iam::Directory* directory, const Call& call);

}  // namespace partita::ops
