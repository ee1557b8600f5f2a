// Principals in trust policies of roles, and in policies of tables and streams. A policy names users and roles by ARN,
// and is stored with their ids instead, as in AWS: a user who is recreated under a trusted name is not trusted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/account.h"
#include "base/result.h"
#include "iam/request.h"

namespace partita::iam {

// The trust policy of the call in its stored form. Faults: as document_in(), kIamMalformedPolicy for an unknown
// principal.
Result<std::string> trust_in(const Request& request, std::string_view parameter);

// The stored form of a name in a Principal's "AWS": the id of a user or role of this account; any other principal
// unchanged. Nullopt for a principal of this account that does not exist, and for an invalid name.
std::optional<std::string> kept_name(const auth::Account& account, std::string_view name);

// A stored policy in the form that is shown: with the ARNs of existing principals, and the ids of others.
std::string shown_policy(const auth::Account& account, const std::string& kept);

}  // namespace partita::iam
