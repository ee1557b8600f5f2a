// Policies of IAM: what a document allows and denies, and what several of them decide together.
//
//   PARTITA_TRY(const Policy policy, Policy::parse(text, Policy::Use::kIdentity));
//   const Policy* const own[] = {&policy};
//   const Policies policies{.identity = own};
//   if (decide(policies, ask) != Decision::kAllowed) ...
//
// A document is read once; asking allocates nothing.
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

// Whoever is judged, as a Principal element may name them.
struct PrincipalNames {
  std::string_view arn;      // of the user, or of the role's session
  std::string_view role;     // of a session: the ARN of its role; else empty
  std::string_view account;  // twelve digits
  bool bounded = false;      // by a permissions boundary
  std::string_view id = {};  // of the user or, of a session, its role: "AIDA..."
};

// Whether a principal's name is an id, as policies keep them in the place of ARNs.
bool is_unique_id(std::string_view name);

// One access of one request.
struct Ask {
  std::string_view action;    // "dynamodb:GetItem"
  std::string_view resource;  // an ARN, or "*"
  PrincipalNames who;
  Circumstances& circumstances;
};

// Whom a statement of a resource policy means when it means the one who asks: the whole account, which leaves it to the
// account's own policies; his role, or everyone; or nobody but himself.
enum class Meant : uint8_t { kNot, kAccount, kRole, kHimself };

// Immutable.
class Policy {
 public:
  enum class Use : uint8_t {
    kIdentity,  // of a user, group or role, a boundary, or of a session: names no principals
    kResource,  // of a table or a stream: names principals and resources
    kTrust,     // of a role: who may take it; names principals and no resources
  };

  // Error: kInvalid, with a sentence that says what is wrong and the word that it is about, perhaps empty. The reason
  // is kUnknownKey for a condition key that is not known, and 0 for all else.
  static constexpr uint16_t kUnknownKey = 1;
  static Result<Policy> parse(std::string_view text, Use use);

  struct Answer {
    bool denied = false;
    bool allowed = false;       // meaningless when it is denied
    Meant meant = Meant::kNot;  // of kResource and kTrust: the closest of those that are allowed
  };
  Answer judge(const Ask& ask) const;

  size_t statements() const { return statements_.size(); }

  // One sentence for each condition that does nothing, as no request to this server has its key: a statement that
  // never denies, or that allows more than it seems to.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  friend class PolicyReader;
  struct Statement {
    bool allows = false;
    bool not_principals = false;
    bool not_actions = false;
    bool not_resources = false;
    bool of_items = false;                // it asks for keys that tell items and attributes apart
    std::vector<std::string> principals;  // of "AWS", and "*"; accounts as their twelve digits
    std::vector<Pattern> actions;
    std::vector<Pattern> resources;
    std::vector<PolicyCondition> conditions;
  };

  static Meant meant_by(const Statement& statement, const PrincipalNames& who);
  static bool names_resource(const Statement& statement, const Ask& ask);
  // Adds to the answer what the statement says; false when no other can change it any more.
  bool judge(const Statement& statement, const Ask& ask, Answer& answer) const;
  void add(Statement statement);

  Use use_ = Use::kIdentity;
  std::vector<Statement> statements_;
  StatementIndex index_;  // of them
  std::vector<std::string> warnings_;
};

// All the policies that a request is judged by. They outlive it.
struct Policies {
  std::span<const Policy* const> identity = {};  // of the user and his groups, or of the role
  const Policy* boundary = nullptr;              // null: there is none
  const Policy* session = nullptr;
  std::span<const Policy* const> resource = {};  // of the table, the stream
};

enum class Decision : uint8_t {
  kAllowed,
  kDeniedByIdentity,  // by a statement that says so
  kDeniedByResource,
  kDeniedByBoundary,
  kDeniedBySession,
  kNotInBoundary,  // by no statement that allows it
  kNotInSession,
  kNotInIdentity,
};

// "Policy evaluation for requests within a single account" in IAM's user guide: what any policy denies is denied; what
// a resource policy allows the user or session by its own ARN is allowed; all else is to be in the boundary and in the
// session's policy, if there are any, and allowed by an identity's policy or by the resource's. Nothing is allowed any
// more when the effort is used up.
Decision decide(const Policies& policies, const Ask& ask);

}  // namespace partita::auth
