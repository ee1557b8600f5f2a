// IAM policies: what a document allows and denies, and what several documents decide together.
//
//   PARTITA_TRY(const Policy policy, Policy::parse(text, Policy::Use::kIdentity));
//   const Policy* const own[] = {&policy};
//   const Policies policies{.identity = own};
//   if (decide(policies, ask) != PolicyDecision::kAllowed) ...
//
// A document is parsed once. Evaluating it allocates nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "auth/condition.h"
#include "auth/condition_key.h"
#include "auth/pattern.h"
#include "auth/statement_index.h"
#include "base/result.h"

namespace partita::auth {

// The requester, as a Principal element may name it.
struct PrincipalNames {
  std::string_view arn;      // of the user, or of the role's session
  std::string_view role;     // of a session: the ARN of its role; else empty
  std::string_view account;  // twelve digits
  bool bounded = false;      // by a permissions boundary
  std::string_view id = {};  // of the user or, of a session, its role: "AIDA..."
};

// Whether a principal's name is an id, which stored policies have in place of ARNs.
bool is_unique_id(std::string_view name);

// One access of one request.
struct Ask {
  std::string_view action;    // "dynamodb:GetItem"
  std::string_view resource;  // an ARN, or "*"
  PrincipalNames who;
  ConditionContext& condition_context;
};

// How a statement of a resource policy names the requester: as part of the account, which leaves the decision to the
// account's own policies; by its role or as everyone; or by its own ARN.
enum class PrincipalMatch : uint8_t { kNone, kByAccount, kByRole, kByArn };

// Immutable.
class Policy {
 public:
  enum class Use : uint8_t {
    kIdentity,  // of a user, group, role or session, or a boundary: names no principals
    kResource,  // of a table or a stream: names principals and resources
    kTrust,     // of a role: who may assume it; names principals and no resources
  };

  // Error: kInvalid, with a sentence that says what is wrong and the word at fault, perhaps empty. The reason is
  // kUnknownKey for an unknown condition key, otherwise 0.
  static constexpr uint16_t kUnknownKey = 1;
  static Result<Policy> parse(std::string_view text, Use use);

  struct Answer {
    bool denied = false;
    bool allowed = false;  // meaningless if denied
    PrincipalMatch match =
        PrincipalMatch::kNone;  // for kResource and kTrust: the closest among the statements that allow
  };
  Answer judge(const Ask& ask) const;
  // Whether a statement may allow the action, to the requester and not just to the requester's account: its resources
  // and conditions, and what other statements deny, are left aside.
  bool may_allow(const Ask& ask) const;

  size_t statements() const { return statements_.size(); }

  // One sentence for each condition without effect, because no request to this server has its key: a statement that
  // never denies, or that allows more than it seems to. And one for each action of AWS's DAX on items whose
  // counterpart of DynamoDB the policy does not name.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  friend class PolicyReader;
  struct Statement {
    bool allows = false;
    bool not_principals = false;
    bool not_actions = false;
    bool not_resources = false;
    bool of_items = false;                // has conditions on keys that distinguish items or attributes
    std::vector<std::string> principals;  // of "AWS", and "*"; accounts as their twelve digits
    std::vector<Pattern> actions;
    std::vector<Pattern> resources;
    std::vector<PolicyCondition> conditions;
  };

  static PrincipalMatch match_of(const Statement& statement, const PrincipalNames& who);
  static bool names_resource(const Statement& statement, const Ask& ask);
  // Adds the statement's effect to the answer; false if no other statement can change it.
  bool judge(const Statement& statement, const Ask& ask, Answer& answer) const;
  void add(Statement statement);

  Use use_ = Use::kIdentity;
  std::vector<Statement> statements_;
  StatementIndex index_;  // of them
  std::vector<std::string> warnings_;
};

// All policies that apply to a request. They must outlive it.
struct Policies {
  std::span<const Policy* const> identity = {};  // of the user and the user's groups, or of the role
  const Policy* boundary = nullptr;              // null: there is none
  const Policy* session = nullptr;
  std::span<const Policy* const> resource = {};  // of the table or stream
};

enum class PolicyDecision : uint8_t {
  kAllowed,
  kDeniedByIdentity,  // by an explicit Deny
  kDeniedByResource,
  kDeniedByBoundary,
  kDeniedBySession,
  kNotInBoundary,  // no statement allows it
  kNotInSession,
  kNotInIdentity,
};

// "Policy evaluation for requests within a single account" in IAM's user guide. What any policy denies is denied. What
// a resource policy allows the user or session by its own ARN is allowed. Everything else must be allowed by the
// boundary and the session policy, if there are any, and by an identity's or the resource's policy. Once the effort is
// used up, nothing is allowed.
PolicyDecision decide(const Policies& policies, const Ask& ask);

}  // namespace partita::auth
