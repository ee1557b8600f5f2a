// Users, groups and roles of an account, as calls find and change them.
#pragma once

#include <string>
#include <string_view>

#include "auth/account.h"
#include "base/result.h"
#include "iam/request.h"

namespace partita::iam {

auth::PrincipalKind kind_of(About about);

// The name in the call. Calls that may omit it then mean the caller. Faults: kIamInvalid, kIamNeedsUser.
Result<std::string> principal_name(const Request& request, auth::PrincipalKind kind);
// Faults: also kIamNotFound.
Result<auth::Principal> principal_in(const Request& request, auth::PrincipalKind kind);
// Replaces the principal of that name.
void replace(Request& request, auth::Principal principal);

// "ANPA" and 17 random characters, for an id that nobody has.
std::string fresh_id(std::string_view prefix, size_t characters = 17);

}  // namespace partita::iam
