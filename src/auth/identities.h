// Who the users are and what they may do, as a file says it.
//
// The file is as `aws iam get-account-authorization-details` writes it, so that what an account of AWS has can be taken
// over as it is.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/policy.h"
#include "base/result.h"

namespace partita::auth {

// That everything belongs to.
inline constexpr std::string_view kAccount = "123456789012";

// One user. Immutable, and as long-lived as the Identities that it is of.
struct Identity {
  std::string name;
  std::string arn;
  std::string id;                           // "AIDA...": aws:userid
  std::map<std::string, std::string> tags;  // aws:PrincipalTag
  std::vector<const Policy*> policies;      // his own and his groups'
  const Policy* boundary = nullptr;
};

class Identities {
 public:
  // Of UserDetailList, GroupDetailList and Policies; roles are read over. Error: kInvalid (reason 0), with one sentence
  // that names what is wrong.
  static Result<Identities> parse(std::string_view text);

  // Null for an unknown one.
  const Identity* find(std::string_view user_name) const;
  size_t size() const { return users_.size(); }

 private:
  friend class IdentitiesReader;

  std::deque<Policy> policies_;  // each stays where it is
  std::map<std::string, std::unique_ptr<const Identity>, std::less<>> users_;
};

}  // namespace partita::auth
