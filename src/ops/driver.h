// What the stages of all executions share: when a request is bound and run again.
#pragma once

#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/result.h"
#include "base/task.h"
#include "ops/admission.h"
#include "ops/operation.h"
#include "table/open/database.h"

namespace partita::ops {

// A table that changes that often during one request is at war with somebody.
inline constexpr int kMostTries = 100;

// Whether a request that failed so, at this try, is to be bound and run again; waits until that makes sense. The error
// is that of the wait.
Task<Result<bool>> tries_again(const Context& context, const Error& error, int tries);

// The same, with an error that is told to the caller when it is not: as `word` makes it, which sees it first, and again
// when the wait ends in another.
using Word = FunctionRef<Error(Error)>;
Task<Result<bool>> tries_again(const Context& context, RequestAuthorizer& checker, Error& error, int tries, Word word);

}  // namespace partita::ops
