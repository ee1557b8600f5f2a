// The calls of IAM and STS: what each is called, what it is about, and what it does to an account.
//
// A call is a function of the account and of its own words. It is carried out on a copy; what that differs in is stored
// if nobody changed the account meanwhile, and else the call begins anew:
//
//   const Call* call = find_call("CreateUser", "2010-05-08");
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
// What a call names, and what the ARN is therefore that policies see.
enum class About : uint8_t { kEverything, kUser, kGroup, kRole, kPolicy };

struct Request;

struct Call {
  std::string_view name;
  std::string_view action;      // of IAM: "iam:CreateUser"; empty: everybody may
  std::string_view parameters;  // with spaces between them; with a dot at the end: whatever begins so
  Result<void> (*run)(Request& request);
  About about = About::kEverything;
  Api api = Api::kIam;
  bool writes = true;
};

// Sorted by name.
std::span<const Call> calls();

// Faults: kIamNoAction, kIamUnknownAction.
Result<const Call*> find_call(const wire::Form& form);

// The xmlns of replies: that of the one whose Version the form has.
std::string_view space_of(Api api);
Api api_of(const wire::Form& form);

// What a call is about, as policies see it. Views of the request and the account.
struct Subject {
  std::string_view resource;                                 // an ARN, or "*"
  std::string_view named = {};                               // what a refusal calls it; empty: the same
  const auth::Policy* trust = nullptr;                       // of a role that is to be taken
  const std::map<std::string, std::string>* tags = nullptr;  // of the resource; null: there is none
  std::map<std::string, std::string> given = {};             // tags that the call gives
  std::vector<std::string_view> tag_keys = {};               // that it gives or takes away
  std::optional<std::string_view> policy = {};               // the ARN of what it attaches or detaches
  std::optional<std::string_view> boundary = {};             // that it gives, or else that the resource has
  std::optional<std::string_view> session_name = {};         // of the session that it begins
};

// Who asks whether the caller may do something.
class Judge {
 public:
  virtual ~Judge() = default;
  // Faults: kDeniedByIdentity and those that follow it.
  virtual Result<void> check(std::string_view action, const Subject& subject) = 0;
};

// The reply's XML, but for what every reply has around it. Faults: kIam..., kSts..., kDeniedByIdentity, ...; kConflict
// when others change the account all the time.
Task<Result<std::string>> carry_out(Directory& directory, const Call& call, const wire::Form& form,
                                    const auth::Caller& caller, int64_t now_ms, Judge& judge);

}  // namespace partita::iam
