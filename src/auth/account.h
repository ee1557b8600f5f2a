// Users, groups, roles and managed policies, as IAM defines them. Their policies are not compiled here; see
// identities.h.
//
// Their texts are JSON as `aws iam get-account-authorization-details` writes it, with a few more members in a store:
// docs/formats/account.md.
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

// The account that everything belongs to.
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
  std::string boundary;                     // the ARN of one, or empty; not of a group
  std::map<std::string, std::string> tags;  // not of a group
  std::vector<std::string> groups;          // of a user
  std::vector<UserKey> keys;                // of a user
  std::string trust;                        // of a role: its trust policy
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
  int64_t last_version = 1;  // the highest number ever used
  std::map<std::string, std::string> tags;

  // Null if there is none of that number.
  const PolicyVersion* version(int64_t number) const;
};

// A copy costs only its maps: their values are shared until they are replaced.
struct Account {
  template <class T>
  using Named = std::map<std::string, std::shared_ptr<const T>, std::less<>>;
  std::array<Named<Principal>, kPrincipalKinds> principals;  // by name
  Named<ManagedPolicy> policies;                             // by ARN
  std::string seal_key;                                      // seals session tokens; empty: none yet

  const Named<Principal>& of(PrincipalKind kind) const { return principals[static_cast<size_t>(kind)]; }
  Named<Principal>& of(PrincipalKind kind) { return principals[static_cast<size_t>(kind)]; }
  // Null if unknown. In a store, names are unique regardless of case. If a file has two names that differ by case, the
  // exact match counts.
  const Principal* find(PrincipalKind kind, std::string_view name) const;
  // A policy of the account, or one of AWS's managed policies that this server knows.
  const ManagedPolicy* find_policy(std::string_view arn) const;
};

// "arn:aws:iam::123456789012:user/path/name".
std::string principal_arn(PrincipalKind kind, std::string_view path, std::string_view name);
std::string policy_arn(std::string_view path, std::string_view name);

// AWS's managed policies; their documents are this server's own.
const Account::Named<ManagedPolicy>& policies_of_aws();

// Error of the functions below: kInvalid (reason 0), with one sentence that names what is wrong.

// Parses UserDetailList, GroupDetailList, RoleDetailList and Policies.
Result<Account> read_account(std::string_view text);
// Parses one entry of these.
Result<Principal> read_principal(PrincipalKind kind, std::string_view text);
Result<ManagedPolicy> read_managed_policy(std::string_view text);

}  // namespace partita::auth
