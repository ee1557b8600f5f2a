#include "auth/identities.h"

#include <utility>

#include "base/log.h"

namespace partita::auth {

namespace {

Error wrong_identities(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

constexpr std::string_view kDenyAll = R"({"Statement":{"Effect":"Deny","Action":"*","Resource":"*"}})";
constexpr std::string_view kTrustNobody = R"({"Statement":{"Effect":"Deny","Principal":"*","Action":"*"}})";

}  // namespace

class IdentitiesMaker {
 public:
  IdentitiesMaker(const Account& account, Identities::OnBadPolicy on_bad) : account_(account), on_bad_(on_bad) {}

  Result<Identities> make() {
    for (const auto& [arn, policy] : account_.policies) PARTITA_TRY_VOID(managed(arn, "the account"));
    for (const auto& [name, group] : account_.of(PrincipalKind::kGroup)) {
      PARTITA_TRY(Policies policies, policies_of(*group, "the group " + name));
      groups_.emplace(name, std::move(policies));
    }
    for (const auto& [name, user] : account_.of(PrincipalKind::kUser)) {
      PARTITA_TRY(auto made, make_user(*user));
      made_.users_.emplace(name, std::move(made));
    }
    for (const auto& [name, role] : account_.of(PrincipalKind::kRole)) {
      auto made = make_role(*role);
      if (made.ok()) made_.roles_.emplace(name, std::move(made).value());
      // As read_account() does with what is no role.
      else
        log(LogLevel::kWarn, {"A role is ignored: ", made.error().sentence()});
    }
    return std::move(made_);
  }

 private:
  using Policies = std::vector<const Policy*>;
  using Made = std::unique_ptr<const Identity>;

  Result<const Policy*> add(std::string_view document, const std::string& what,
                            Policy::Use use = Policy::Use::kIdentity) {
    auto policy = Policy::parse(document, use);
    if (!policy.ok()) PARTITA_TRY_VOID(mend(what + ": " + std::string(policy.error().sentence())));
    if (!policy.ok()) policy = Policy::parse(use == Policy::Use::kTrust ? kTrustNobody : kDenyAll, use);
    for (const std::string& warning : policy->warnings()) made_.warnings_.push_back(what + ": " + warning);
    return &made_.policies_.emplace_back(std::move(policy).value());
  }

  // Fails unless what is wrong can be made up for.
  Result<void> mend(std::string sentence) const {
    if (on_bad_ == Identities::OnBadPolicy::kFail) return wrong_identities(std::move(sentence));
    static LogThrottle throttle;
    uint64_t unsaid = 0;
    if (throttle.pass(unsaid)) log(LogLevel::kError, {"A policy denies everything, as it cannot be read: ", sentence});
    return {};
  }

  Result<const Policy*> managed(const std::string& arn, const std::string& what) {
    if (const auto known = managed_.find(arn); known != managed_.end()) return known->second;
    const ManagedPolicy* const policy = account_.find_policy(arn);
    const PolicyVersion* const version = policy == nullptr ? nullptr : policy->version(policy->default_version);
    if (version == nullptr) PARTITA_TRY_VOID(mend(what + " names the policy " + arn + ", which is not there."));
    PARTITA_TRY(const Policy* const made, add(version == nullptr ? kDenyAll : version->document, arn));
    managed_.emplace(arn, made);
    return made;
  }

  // What is attached to it, and what is its own.
  Result<Policies> policies_of(const Principal& principal, const std::string& what) {
    Policies policies;
    for (const InlinePolicy& own : principal.policies) {
      PARTITA_TRY(const Policy* const made, add(own.document, what + ", " + own.name));
      policies.push_back(made);
    }
    for (const std::string& arn : principal.attached) {
      PARTITA_TRY(const Policy* const found, managed(arn, what));
      policies.push_back(found);
    }
    return policies;
  }

  Result<void> fill(const Principal& principal, const std::string& what, Identity& identity) {
    identity.arn = principal.arn;
    identity.id = principal.id;
    identity.tags = principal.tags;
    PARTITA_TRY(identity.policies, policies_of(principal, what));
    if (principal.boundary.empty()) return {};
    PARTITA_TRY(identity.boundary, managed(principal.boundary, what));
    return {};
  }

  Result<Made> make_user(const Principal& user) {
    const std::string what = "the user " + user.name;
    auto identity = std::make_unique<Identity>();
    identity->name = user.name;
    PARTITA_TRY_VOID(fill(user, what, *identity));
    for (const std::string& name : user.groups) {
      const auto group = groups_.find(name);
      if (group == groups_.end()) {
        PARTITA_TRY_VOID(mend(what + " is in a group that is not there: " + name + "."));
        continue;
      }
      identity->policies.insert(identity->policies.end(), group->second.begin(), group->second.end());
    }
    return Made(std::move(identity));
  }

  Result<Made> make_role(const Principal& role) {
    const std::string what = "the role " + role.name;
    auto identity = std::make_unique<Identity>();
    PARTITA_TRY_VOID(fill(role, what, *identity));
    identity->role = role.arn;
    identity->max_session_s = role.max_session_s;
    PARTITA_TRY(identity->trust, add(role.trust, what, Policy::Use::kTrust));
    return Made(std::move(identity));
  }

  const Account& account_;
  const Identities::OnBadPolicy on_bad_;
  Identities made_;
  std::map<std::string, const Policy*, std::less<>> managed_;
  std::map<std::string, Policies, std::less<>> groups_;
};

Result<Identities> Identities::of(const Account& account, OnBadPolicy on_bad) {
  return IdentitiesMaker(account, on_bad).make();
}

Result<Identities> Identities::parse(std::string_view text) {
  PARTITA_TRY(const Account account, read_account(text));
  return of(account);
}

const Identity* Identities::find(std::string_view user_name) const {
  const auto found = users_.find(user_name);
  return found == users_.end() ? nullptr : found->second.get();
}

const Identity* Identities::find_role(std::string_view name) const {
  const auto found = roles_.find(name);
  return found == roles_.end() ? nullptr : found->second.get();
}

}  // namespace partita::auth
