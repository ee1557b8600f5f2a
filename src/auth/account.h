// Users, groups, roles and managed policies, as IAM knows them: what they are, not yet what they may do (identities.h).
//
// Their texts are JSON as `aws iam get-account-authorization-details` writes it, with a few members more where a store
// keeps them: see docs/formats/account.md.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace partita::auth {

// That everything belongs to.
inline constexpr std::string_view kAccountId = "123456789012";

enum class PrincipalKind : uint8_t { kUser, kGroup, kRole };
inline constexpr size_t kPrincipalKinds = 3;

struct InlinePolicy {
  std::string name;
  std::string document;
};

struct UserKey {
  std::string id;
  std::string secret;
  bool active = true;
  int64_t created_ms = 0;
};

struct Principal {
  PrincipalKind kind = PrincipalKind::kUser;
  std::string name;
  std::string path = "/";
  std::string id;   // "AIDA..."
  std::string arn;  // with the path
  int64_t created_ms = 0;
  std::vector<InlinePolicy> policies;
  std::vector<std::string> attached;        // ARNs of managed policies
  std::string boundary;                     // the ARN of one, or empty; of no group
  std::map<std::string, std::string> tags;  // of no group
  std::vector<std::string> groups;          // of a user
  std::vector<UserKey> keys;                // of a user
  std::string trust;                        // of a role: who may take it
  std::string description;                  // of a role
  int64_t max_session_s = 3'600;            // of a role
};

struct PolicyVersion {
  int64_t number = 1;  // "v1"
  std::string document;
  int64_t created_ms = 0;
};

struct ManagedPolicy {
  std::string name;
  std::string path = "/";
  std::string id;  // "ANPA..."
  std::string arn;
  std::string description;
  int64_t created_ms = 0;
  int64_t updated_ms = 0;
  std::vector<PolicyVersion> versions;  // in the order of their numbers
  int64_t default_version = 1;
  int64_t last_version = 1;  // that there ever was
  std::map<std::string, std::string> tags;

  // Null when there is none of that number.
  const PolicyVersion* version(int64_t number) const;
};

// Copied at the cost of its maps: what it holds is shared until it is replaced.
struct Account {
  template <class T>
  using Named = std::map<std::string, std::shared_ptr<const T>, std::less<>>;
  std::array<Named<Principal>, kPrincipalKinds> principals;  // by their names
  Named<ManagedPolicy> policies;                             // by their ARNs
  std::string seal_key;                                      // of session tokens; empty: there is none yet

  const Named<Principal>& of(PrincipalKind kind) const { return principals[static_cast<size_t>(kind)]; }
  Named<Principal>& of(PrincipalKind kind) { return principals[static_cast<size_t>(kind)]; }
  // Null for an unknown one. There is one of a name at most, however its letters are written, in a store; of two in a
  // file, the one of that very name.
  const Principal* find(PrincipalKind kind, std::string_view name) const;
  // Of those in the account, or of those that AWS has for everybody and this server knows.
  const ManagedPolicy* find_policy(std::string_view arn) const;
};

// "arn:aws:iam::123456789012:user/path/name".
std::string principal_arn(PrincipalKind kind, std::string_view path, std::string_view name);
std::string policy_arn(std::string_view path, std::string_view name);

// Policies of AWS's own: their documents are this server's.
const Account::Named<ManagedPolicy>& policies_of_aws();

// Error of all: kInvalid (reason 0), with one sentence that names what is wrong.

// Of UserDetailList, GroupDetailList, RoleDetailList and Policies.
Result<Account> read_account(std::string_view text);
// One of them.
Result<Principal> read_principal(PrincipalKind kind, std::string_view text);
Result<ManagedPolicy> read_managed_policy(std::string_view text);

}  // namespace partita::auth
