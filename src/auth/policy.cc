#include "auth/policy.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace partita::auth {

namespace {

bool any_matches(const std::vector<Pattern>& patterns, std::string_view text, ConditionContext& condition_context) {
  return std::ranges::any_of(patterns, [&](const Pattern& one) { return one.matches(text, condition_context); });
}

// Their texts, or none of them when one may match several.
std::vector<std::string_view> literals(const std::vector<Pattern>& patterns) {
  std::vector<std::string_view> texts;
  for (const Pattern& pattern : patterns) {
    const std::string* const text = pattern.literal();
    if (text == nullptr) return {};
    texts.push_back(*text);
  }
  return texts;
}

}  // namespace

bool is_unique_id(std::string_view name) { return name.starts_with("AIDA") || name.starts_with("AROA"); }

PrincipalMatch Policy::match_of(const Statement& statement, const PrincipalNames& who) {
  bool everyone = false;
  bool account = false;
  bool role = who.role.empty();
  bool himself = false;
  for (const std::string& name : statement.principals) {
    everyone |= name == "*";
    account |= name == who.account;
    const bool by_id = !who.id.empty() && name == who.id;
    role |= name == who.role || (by_id && !who.role.empty());
    himself |= name == who.arn || (by_id && who.role.empty());
  }
  // "NotPrincipal" in IAM's user guide: all that he is has to be named, and with a boundary nothing helps.
  if (statement.not_principals) {
    const bool named = everyone || (account && role && himself && !who.bounded);
    return named ? PrincipalMatch::kNone : PrincipalMatch::kByRole;
  }
  if (himself) return PrincipalMatch::kByArn;
  if (everyone || (role && !who.role.empty())) return PrincipalMatch::kByRole;
  return account ? PrincipalMatch::kByAccount : PrincipalMatch::kNone;
}

// A variable without a value names nothing; so what is not named there is denied at most, never allowed.
bool Policy::names_resource(const Statement& statement, const Ask& ask) {
  const bool named = any_matches(statement.resources, ask.resource, ask.condition_context);
  if (!statement.not_resources) return named;
  const bool whole =
      std::ranges::all_of(statement.resources, [&](const Pattern& one) { return one.is_whole(ask.condition_context); });
  return !named && (whole || !statement.allows);
}

bool Policy::judge(const Statement& statement, const Ask& ask, Answer& answer) const {
  // "Security and access control" of vector search in DynamoDB's guide: a statement that asks for one of these keys
  // is not about a search.
  if (statement.of_items && ask.action == "dynamodb:SearchVectors") return true;
  if (any_matches(statement.actions, ask.action, ask.condition_context) == statement.not_actions) return true;
  PrincipalMatch match = PrincipalMatch::kNone;
  if (use_ != Use::kIdentity) {
    match = match_of(statement, ask.who);
    if (match == PrincipalMatch::kNone) return true;
  }
  if (use_ != Use::kTrust && !names_resource(statement, ask)) return true;
  const bool holds = std::ranges::all_of(statement.conditions, [&](const PolicyCondition& one) {
    return one.holds(ask.condition_context, statement.allows);
  });
  if (!holds) return true;
  if (!statement.allows) {
    answer.denied = true;
    return false;
  }
  answer.allowed = true;
  answer.match = std::max(answer.match, match);
  return true;
}

Policy::Answer Policy::judge(const Ask& ask) const {
  Answer answer;
  index_.visit(ask.action, ask.resource, [&](uint32_t at) { return judge(statements_[at], ask, answer); });
  return answer;
}

bool Policy::may_allow(const Ask& ask) const {
  return std::ranges::any_of(statements_, [&](const Statement& statement) {
    if (!statement.allows) return false;
    if (any_matches(statement.actions, ask.action, ask.condition_context) == statement.not_actions) return false;
    return use_ == Use::kIdentity || match_of(statement, ask.who) > PrincipalMatch::kByAccount;
  });
}

void Policy::add(Statement statement) {
  std::vector<std::string_view> actions;
  std::vector<std::string_view> resources;
  if (!statement.not_actions) actions = literals(statement.actions);
  if (!statement.not_resources) resources = literals(statement.resources);
  index_.add(static_cast<uint32_t>(statements_.size()), actions, resources);
  statements_.push_back(std::move(statement));
}

namespace {

PolicyDecision decide_by_all(const Policies& policies, const Ask& ask) {
  bool identity_allows = false;
  for (const Policy* const policy : policies.identity) {
    const Policy::Answer answer = policy->judge(ask);
    if (answer.denied) return PolicyDecision::kDeniedByIdentity;
    identity_allows |= answer.allowed;
  }
  PrincipalMatch match = PrincipalMatch::kNone;
  for (const Policy* const policy : policies.resource) {
    const Policy::Answer answer = policy->judge(ask);
    if (answer.denied) return PolicyDecision::kDeniedByResource;
    match = std::max(match, answer.match);
  }
  const auto judge = [&](const Policy* policy) {
    return policy == nullptr ? Policy::Answer{false, true, {}} : policy->judge(ask);
  };
  const Policy::Answer boundary = judge(policies.boundary);
  if (boundary.denied) return PolicyDecision::kDeniedByBoundary;
  const Policy::Answer session = judge(policies.session);
  if (session.denied) return PolicyDecision::kDeniedBySession;
  if (match == PrincipalMatch::kByArn) return PolicyDecision::kAllowed;
  if (!boundary.allowed) return PolicyDecision::kNotInBoundary;
  if (!session.allowed) return PolicyDecision::kNotInSession;
  return identity_allows || match == PrincipalMatch::kByRole ? PolicyDecision::kAllowed
                                                             : PolicyDecision::kNotInIdentity;
}

}  // namespace

PolicyDecision decide(const Policies& policies, const Ask& ask) {
  const PolicyDecision decision = decide_by_all(policies, ask);
  const bool half_judged = decision == PolicyDecision::kAllowed && ask.condition_context.effort().is_used_up();
  return half_judged ? PolicyDecision::kNotInIdentity : decision;
}

}  // namespace partita::auth
