#include "auth/condition_key.h"

#include <algorithm>
#include <array>
#include <utility>

#include "auth/words.h"

namespace partita::auth {

namespace {

constexpr std::array kKeys = {
    std::pair{std::string_view("dynamodb:leadingkeys"), ConditionKey::kLeadingKeys},
    std::pair{std::string_view("dynamodb:attributes"), ConditionKey::kAttributes},
    std::pair{std::string_view("dynamodb:select"), ConditionKey::kSelect},
    std::pair{std::string_view("dynamodb:returnvalues"), ConditionKey::kReturnValues},
    std::pair{std::string_view("dynamodb:returnconsumedcapacity"), ConditionKey::kReturnConsumedCapacity},
    std::pair{std::string_view("dynamodb:fulltablescan"), ConditionKey::kFullTableScan},
    std::pair{std::string_view("dynamodb:enclosingoperation"), ConditionKey::kEnclosingOperation},
    std::pair{std::string_view("aws:tagkeys"), ConditionKey::kTagKeys},
    std::pair{std::string_view("aws:sourceip"), ConditionKey::kSourceIp},
    std::pair{std::string_view("aws:currenttime"), ConditionKey::kCurrentTime},
    std::pair{std::string_view("aws:epochtime"), ConditionKey::kEpochTime},
    std::pair{std::string_view("aws:securetransport"), ConditionKey::kSecureTransport},
    std::pair{std::string_view("aws:principalarn"), ConditionKey::kPrincipalArn},
    std::pair{std::string_view("aws:principalaccount"), ConditionKey::kPrincipalAccount},
    std::pair{std::string_view("aws:principaltype"), ConditionKey::kPrincipalType},
    std::pair{std::string_view("aws:username"), ConditionKey::kUserName},
    std::pair{std::string_view("aws:userid"), ConditionKey::kUserId},
    std::pair{std::string_view("aws:requestedregion"), ConditionKey::kRequestedRegion},
    std::pair{std::string_view("aws:tokenissuetime"), ConditionKey::kTokenIssueTime},
    std::pair{std::string_view("aws:viaawsservice"), ConditionKey::kViaService},
    std::pair{std::string_view("iam:policyarn"), ConditionKey::kPolicyArn},
    std::pair{std::string_view("iam:permissionsboundary"), ConditionKey::kPermissionsBoundary},
};

constexpr std::array kTagged = {
    std::pair{std::string_view("aws:resourcetag/"), ConditionKey::kResourceTag},
    std::pair{std::string_view("iam:resourcetag/"), ConditionKey::kResourceTag},
    std::pair{std::string_view("aws:requesttag/"), ConditionKey::kRequestTag},
    std::pair{std::string_view("aws:principaltag/"), ConditionKey::kPrincipalTag},
};

bool same(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, {}, lower);
}

}  // namespace

std::optional<KeyName> key_name(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return std::nullopt;
  for (const auto& [name, key] : kKeys) {
    if (same(text, name)) return KeyName{key, {}};
  }
  for (const auto& [name, key] : kTagged) {
    if (text.size() > name.size() && same(text.substr(0, name.size()), name)) {
      return KeyName{key, std::string(text.substr(name.size()))};
    }
  }
  return KeyName{};
}

}  // namespace partita::auth
