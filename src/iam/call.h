// A call of IAM or STS, and what policies see of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/policy.h"
#include "base/result.h"

namespace partita::iam {

enum class Api : uint8_t { kIam, kSts };
// What a call names, which determines the ARN that policies see.
enum class About : uint8_t { kEverything, kUser, kGroup, kRole, kPolicy };

struct Request;

struct CallRow {
  std::string_view name;
  std::string_view action;      // in policies: "iam:CreateUser"; empty: allowed for everyone
  std::string_view parameters;  // separated by spaces; one that ends with a dot is a prefix
  Result<void> (*run)(Request& request);
  About about = About::kEverything;
  Api api = Api::kIam;
  bool writes = true;
};

// The subject of a call, as policies see it. Views of the request and the account.
struct Subject {
  std::string_view resource;                                 // an ARN, or "*"
  std::string_view named = {};                               // its name in refusals; empty: `resource`
  const auth::Policy* trust = nullptr;                       // of a role that is to be assumed
  const std::map<std::string, std::string>* tags = nullptr;  // of the resource; null: there is none
  std::map<std::string, std::string> given = {};             // tags that the call sets
  std::vector<std::string_view> tag_keys = {};               // that it sets or removes
  std::optional<std::string_view> policy = {};               // the ARN of the policy that it attaches or detaches
  std::optional<std::string_view> boundary = {};             // that it sets, or else that of the resource
  std::optional<std::string_view> session_name = {};         // of the session that it creates
};

// Checks whether the caller may do something.
class PolicyChecker {
 public:
  virtual ~PolicyChecker() = default;
  // Faults: kDeniedByIdentity and those that follow it.
  virtual Result<void> check(std::string_view action, const Subject& subject) = 0;
};

}  // namespace partita::iam
