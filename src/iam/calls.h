// The calls of IAM and STS: their names, their subjects, and their effect on an account.
//
// A call is a function of the account and of its parameters. It runs on a copy, and the differences are stored if
// nobody has changed the account meanwhile. Otherwise the call starts over:
//
//   const CallRow* call = find_call("CreateUser", "2010-05-08");
//   co_return co_await carry_out(directory, *call, form, caller, clock.now_ms(), judge);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "auth/authenticate.h"
#include "auth/policy.h"
#include "base/result.h"
#include "base/task.h"
#include "iam/directory.h"
#include "wire/form_reader.h"

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

// Sorted by name.
std::span<const CallRow> calls();

// Faults: kIamNoAction, kIamUnknownAction.
Result<const CallRow*> find_call(const wire::Form& form);

// The xmlns of replies, and the API whose Version the form has.
std::string_view space_of(Api api);
Api api_of(const wire::Form& form);

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

// The XML of the result, without the envelope that every reply has. Faults: kIam..., kSts..., kDeniedByIdentity, ...;
// kConflict if others keep changing the account.
Task<Result<std::string>> carry_out(Directory& directory, const CallRow& call, const wire::Form& form,
                                    const auth::Caller& caller, int64_t now_ms, PolicyChecker& judge);

}  // namespace partita::iam
