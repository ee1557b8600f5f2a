// Whom a role trusts. A policy names users and roles by their ARNs, and is kept with their ids in the place of these,
// as AWS keeps it: who is made anew under the name of somebody who was trusted is somebody else.
#pragma once

#include <string>
#include <string_view>

#include "auth/account.h"
#include "base/result.h"
#include "iam/request.h"

namespace partita::iam {

// The trust policy of the call, as it is kept. Faults: as document_in(), kIamMalformedPolicy for somebody unknown.
Result<std::string> trust_in(const Request& request, std::string_view parameter);

// As it is shown: with the ARNs of those who are still there, and the ids of others.
std::string shown_trust(const auth::Account& account, const std::string& kept);

}  // namespace partita::iam
