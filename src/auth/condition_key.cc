#include "auth/condition_key.h"

#include <algorithm>
#include <array>
#include <utility>

#include "auth/text_util.h"

namespace partita::auth {

namespace {

constexpr std::array kKeys = {
    std::pair{std::string_view("dynamodb:leadingkeys"), ConditionKey::kLeadingKeys},
    std::pair{std::string_view("dynamodb:firstpartitionkeyvalues"), ConditionKey::kLeadingKeys},
    std::pair{std::string_view("dynamodb:secondpartitionkeyvalues"), ConditionKey::kSecondKeys},
    std::pair{std::string_view("dynamodb:thirdpartitionkeyvalues"), ConditionKey::kThirdKeys},
    std::pair{std::string_view("dynamodb:fourthpartitionkeyvalues"), ConditionKey::kFourthKeys},
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
    std::pair{std::string_view("aws:viaawsmcpservice"), ConditionKey::kViaMcpService},
    std::pair{std::string_view("aws:principalisawsservice"), ConditionKey::kPrincipalIsService},
    std::pair{std::string_view("aws:resourceaccount"), ConditionKey::kResourceAccount},
    std::pair{std::string_view("aws:useragent"), ConditionKey::kUserAgent},
    std::pair{std::string_view("aws:referer"), ConditionKey::kReferer},
    std::pair{std::string_view("aws:multifactorauthpresent"), ConditionKey::kMultiFactorAuth},
    std::pair{std::string_view("sts:rolesessionname"), ConditionKey::kRoleSessionName},
    std::pair{std::string_view("iam:policyarn"), ConditionKey::kPolicyArn},
    std::pair{std::string_view("iam:permissionsboundary"), ConditionKey::kPermissionsBoundary},
};

constexpr std::array kTagged = {
    std::pair{std::string_view("aws:resourcetag/"), ConditionKey::kResourceTag},
    std::pair{std::string_view("iam:resourcetag/"), ConditionKey::kResourceTag},
    std::pair{std::string_view("aws:requesttag/"), ConditionKey::kRequestTag},
    std::pair{std::string_view("aws:principaltag/"), ConditionKey::kPrincipalTag},
};

// Documented keys of calls and callers that this server does not have: other AWS services, organizations, VPC
// endpoints, federation, second factors. As in AWS, a request of another kind lacks them.
// clang-format off
constexpr std::array kNever = std::to_array<std::string_view>({
    "aws:assumedroot", "aws:calledvia", "aws:calledviaawsmcp", "aws:calledviafirst", "aws:calledvialast",
    "aws:chatbotsourcearn", "aws:ec2instancesourceprivateipv4", "aws:ec2instancesourcevpc", "aws:federatedprovider",
    "aws:ismcpserviceaction", "aws:multifactorauthage", "aws:principalorgid", "aws:principalorgpaths",
    "aws:principalservicename", "aws:principalservicenameslist", "aws:resourceorgid", "aws:resourceorgpaths",
    "aws:signinsessionarn", "aws:sourceaccount", "aws:sourcearn", "aws:sourceidentity", "aws:sourceorgid",
    "aws:sourceorgpaths", "aws:sourceowner", "aws:sourcevpc", "aws:sourcevpcarn", "aws:sourcevpce",
    "aws:viacustomerdomain", "aws:vpceaccount", "aws:vpceorgid", "aws:vpceorgpaths", "aws:vpcsourceip",
    "dynamodb:fisactionid", "dynamodb:fistargetarns", "iam:accountpropertynamespaces", "iam:associatedresourcearn",
    "iam:awsservicename", "iam:delegationduration", "iam:delegationrequestowner", "iam:fido-certification",
    "iam:fido-fips-140-2-certification", "iam:fido-fips-140-3-certification", "iam:notificationchannel",
    "iam:organizationspolicyid", "iam:passedtoservice", "iam:registersecuritykey", "iam:roletemplatearn",
    "iam:servicespecificcredentialagedays", "iam:servicespecificcredentialservicename", "iam:templatearn",
    "sts:awsservicename", "sts:durationseconds", "sts:externalid", "sts:identitytokenaudience",
    "sts:requestcontextproviders", "sts:roleauthorizedbyidp", "sts:signingalgorithm", "sts:sourceidentity",
    "sts:taskpolicyarn", "sts:transitivetagkeys",
});
// clang-format on
constexpr std::string_view kNeverTagged = "sts:requestcontext/";
// Of any other prefix the names are another service's.
constexpr std::array kSpokenFor = std::to_array<std::string_view>({"aws:", "dynamodb:", "iam:", "sts:"});

bool same(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, {}, lower);
}

bool begins(std::string_view text, std::string_view lower_case) {
  return same(text.substr(0, lower_case.size()), lower_case);
}

}  // namespace

std::optional<KeyName> key_name(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return std::nullopt;
  for (const auto& [name, key] : kKeys) {
    if (same(text, name)) return KeyName{key, {}};
  }
  for (const auto& [name, key] : kTagged) {
    if (text.size() > name.size() && begins(text, name)) return KeyName{key, std::string(text.substr(name.size()))};
  }
  const auto is_it = [&](std::string_view name) { return same(text, name); };
  const auto speaks = [&](std::string_view prefix) { return begins(text, prefix); };
  const bool never = std::ranges::any_of(kNever, is_it) || begins(text, kNeverTagged);
  if (never || std::ranges::none_of(kSpokenFor, speaks)) return KeyName{ConditionKey::kNever, {}};
  return KeyName{};
}

}  // namespace partita::auth
