// Users, groups and roles of an account, as calls find and change them.
#pragma once

#include <string>
#include <string_view>

#include "auth/account.h"
#include "base/result.h"
#include "iam/request.h"

namespace partita::iam {

auth::PrincipalKind kind_of(About about);

// The user whose name is in the call; of calls that leave it out whoever calls. Faults: kIamInvalid, kIamNeedsUser.
Result<std::string> principal_name(const Request& request, auth::PrincipalKind kind);
// Faults: also kIamNotFound.
Result<auth::Principal> principal_in(const Request& request, auth::PrincipalKind kind);
// In the place of the one of that name.
void replace(Request& request, auth::Principal principal);

// "ANPA" and 17 characters that nobody has.
std::string fresh_id(std::string_view prefix, size_t characters = 17);

}  // namespace partita::iam
