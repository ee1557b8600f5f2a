// The calls of IAM and STS: their names, their subjects, and their effect on an account.
//
// A call is a function of the account and of its parameters. It runs on a copy, and the differences are stored if
// nobody has changed the account meanwhile. Otherwise the call starts over:
//
//   const CallRow* call = find_call("CreateUser", "2010-05-08");
//   co_return co_await carry_out(directory, *call, form, caller, clock.now_ms(), judge);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "base/result.h"
#include "base/task.h"
#include "iam/call.h"
#include "iam/directory.h"
#include "wire/form_reader.h"

namespace partita::iam {

// Sorted by name.
std::span<const CallRow> calls();

// Faults: kIamNoAction, kIamUnknownAction.
Result<const CallRow*> find_call(const wire::Form& form);

// The xmlns of replies, and the API whose Version the form has.
std::string_view space_of(Api api);
Api api_of(const wire::Form& form);

// The XML of the result, without the envelope that every reply has. Faults: kIam..., kSts..., kDeniedByIdentity, ...;
// kConflict if others keep changing the account.
Task<Result<std::string>> carry_out(Directory& directory, const CallRow& call, const wire::Form& form,
                                    const auth::Caller& caller, int64_t now_ms, PolicyChecker& judge);

}  // namespace partita::iam
