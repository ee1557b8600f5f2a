// Who the users and roles are and what they may do: an Account with its policies compiled.
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

// A user, a role, or a session of either. Immutable, and as long-lived as the Identities that it is of.
struct Identity {
  std::string name;  // of the user; empty for a role
  std::string arn;
  std::string role = {};                    // the ARN of the role; empty for a user
  std::string id;                           // "AIDA...": aws:userid; of a role's session with a colon and its name
  std::map<std::string, std::string> tags;  // aws:PrincipalTag
  std::vector<const Policy*> policies;      // his own and his groups'
  const Policy* boundary = nullptr;
  const Policy* session = nullptr;  // that a session was narrowed to
  const Policy* trust = nullptr;    // of a role
  int64_t max_session_s = 0;        // of a role
  int64_t issued_ms = 0;            // when a session began, since 1970; 0: it is none
};

// Without the session's name.
inline std::string_view unique_id_of(const Identity& who) {
  return std::string_view(who.id).substr(0, who.id.find(':'));
}

class Identities {
 public:
  // What is done about a policy that cannot be read, or is not there: an error, or it denies everything.
  enum class Mends : uint8_t { kNothing, kByDenying };

  // Error: kInvalid (reason 0), with one sentence that names what is wrong.
  static Result<Identities> of(const Account& account, Mends mends = Mends::kNothing);
  static Result<Identities> parse(std::string_view text);  // of read_account()

  // Null for an unknown one.
  const Identity* find(std::string_view user_name) const;
  const Identity* find_role(std::string_view name) const;
  size_t size() const { return users_.size(); }

  // Policy::warnings() of all of them, each with where it stands.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  friend class IdentitiesMaker;
  using Named = std::map<std::string, std::unique_ptr<const Identity>, std::less<>>;

  std::deque<Policy> policies_;  // each stays where it is
  Named users_;
  Named roles_;
  std::vector<std::string> warnings_;
};

}  // namespace partita::auth
