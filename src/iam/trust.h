// Whom a role trusts, and whom the policies of tables and streams name. A policy names users and roles by their ARNs,
// and is kept with their ids in the place of these, as AWS keeps it: who is made anew under the name of somebody who
// was trusted is somebody else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/account.h"
#include "base/result.h"
#include "iam/request.h"

namespace partita::iam {

// The trust policy of the call, as it is kept. Faults: as document_in(), kIamMalformedPolicy for somebody unknown.
Result<std::string> trust_in(const Request& request, std::string_view parameter);

// What is kept in the place of that name of a Principal's "AWS": an id of this account's users and roles, and whatever
// else is named as it is. Nothing for one of this account who is not there, and for what is neither.
std::optional<std::string> kept_name(const auth::Account& account, std::string_view name);

// Such a policy as it is shown: with the ARNs of those who are still there, and the ids of others.
std::string shown_policy(const auth::Account& account, const std::string& kept);

}  // namespace partita::iam
