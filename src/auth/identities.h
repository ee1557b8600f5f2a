// Users and roles with compiled policies, made from an Account.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/account.h"
#include "auth/policy.h"
#include "base/result.h"

namespace partita::auth {

// A user, a role, or a session of either. Immutable. Valid as long as its Identities.
struct Identity {
  std::string name;  // of the user; empty for a role
  std::string arn;
  std::string role = {};  // the ARN of the role; empty for a user
  std::string id;         // "AIDA...": aws:userid; for a role's session followed by a colon and its name
  std::map<std::string, std::string> tags;  // aws:PrincipalTag
  std::vector<const Policy*> policies;      // own and the groups'
  const Policy* boundary = nullptr;
  const Policy* session = nullptr;  // the session policy
  const Policy* trust = nullptr;    // of a role
  int64_t max_session_s = 0;        // of a role
  int64_t issued_ms = 0;            // start of the session, in ms since 1970; 0: not a session
};

// Without the session's name.
inline std::string_view unique_id_of(const Identity& who) {
  return std::string_view(who.id).substr(0, who.id.find(':'));
}

class Identities {
 public:
  // How a policy is handled that is missing or cannot be read: as an error, or as one that denies everything.
  enum class OnBadPolicy : uint8_t { kFail, kDeny };

  // Error: kInvalid (reason 0), with one sentence that names what is wrong.
  static Result<Identities> of(const Account& account, OnBadPolicy on_bad = OnBadPolicy::kFail);
  static Result<Identities> parse(std::string_view text);  // of read_account()

  // Null if unknown.
  const Identity* find(std::string_view user_name) const;
  const Identity* find_role(std::string_view name) const;
  size_t size() const { return users_.size(); }

  // Policy::warnings() of all policies, each with its location.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  friend class IdentitiesMaker;
  using Named = std::map<std::string, std::unique_ptr<const Identity>, std::less<>>;

  std::deque<Policy> policies_;  // a deque, so that addresses stay valid
  Named users_;
  Named roles_;
  std::vector<std::string> warnings_;
};

}  // namespace partita::auth
