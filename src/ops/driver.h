// When a request is bound and run again. For the executions of the driver, and for those that run others.
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

// More changes of a table during one request than any client makes; the request then fails.
inline constexpr int kMostTries = 100;

// Whether a request that failed with `error` at this try (from 1) should be bound and run again. Waits until the newest
// description of its table is known. Errors: those of the wait. The arguments outlive the task.
Task<Result<bool>> tries_again(const Context& context, const Error& error, int tries);

// The same, also if policies must be loaded first. False: `error` is the one for the caller. `word` turns an error into
// that (RequestAuthorizer::worded()); it is called for the given error, and for that of the wait.
using Word = FunctionRef<Error(Error)>;
Task<Result<bool>> tries_again(const Context& context, RequestAuthorizer& checker, Error& error, int tries, Word word);

}  // namespace partita::ops
