#include "app/simulate.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <span>

#include "app/callers.h"
#include "auth/words.h"
#include "base/log.h"
#include "ops/authorisation.h"
#include "wire/error_body.h"

namespace partita::app {

namespace {

class Given final : public auth::Circumstances {
 public:
  // Error: for a key that no request has.
  Result<void> add(std::string_view key, std::string_view value) {
    auto name = auth::key_name(key);
    if (!name || name->key == auth::ConditionKey::kUnknown) {
      return Error(ErrorKind::kInvalid, "No request has the condition key " + std::string(key) + ".");
    }
    values_[{name->key, std::move(name->tag)}].push_back(value);
    return {};
  }
  // What is so unless something else was given.
  Result<void> add_own(std::string_view key, std::string_view value) {
    const auto name = auth::key_name(key);
    return name && values(*name) ? Result<void>() : add(key, value);
  }

  std::optional<std::span<const std::string_view>> values(const auth::KeyName& name) override {
    const auto alike = [&](const auto& one) {
      return one.first.first == name.key &&
             std::ranges::equal(one.first.second, name.tag, {}, auth::lower, auth::lower);
    };
    auto found = values_.find({name.key, name.tag});
    if (found == values_.end()) found = std::ranges::find_if(values_, alike);
    if (found == values_.end()) return std::nullopt;
    return std::span<const std::string_view>(found->second);
  }

 private:
  std::map<std::pair<auth::ConditionKey, std::string>, std::vector<std::string_view>> values_;
};

}  // namespace

Result<bool> simulate(const CommandLine& line) {
  const Simulated& asked = line.simulated;
  set_log_level(LogLevel::kError);  // what is read over is for who serves
  PARTITA_TRY(const auth::Account account, read_account(line.identities));
  PARTITA_TRY(const auth::Identities identities, auth::Identities::of(account));
  const std::string& name = asked.user.empty() ? asked.role : asked.user;
  const auth::Identity* const who = asked.user.empty() ? identities.find_role(name) : identities.find(name);
  if (who == nullptr) {
    const std::string word = asked.user.empty() ? " has no role " : " has no user ";
    return Error(ErrorKind::kInvalid, line.identities + word + name + ".");
  }
  std::optional<auth::Policy> of_resource;
  if (!asked.resource_policy.empty()) {
    PARTITA_TRY(of_resource, read_resource_policy(asked.resource_policy));
  }
  Given given;
  for (const auto& [key, value] : asked.context) PARTITA_TRY_VOID(given.add(key, value));
  const bool of_role = !who->role.empty();
  const std::string arn =
      of_role ? "arn:aws:sts::" + std::string(auth::kAccountId) + ":assumed-role/" + name + "/simulated" : who->arn;
  const std::string id = of_role ? who->id + ":simulated" : who->id;
  const std::array<std::pair<std::string_view, std::string_view>, 3> own = {
      {{"aws:userid", id}, {"aws:PrincipalArn", who->arn}, {"aws:PrincipalType", of_role ? "AssumedRole" : "User"}}};
  for (const auto& [key, value] : own) PARTITA_TRY_VOID(given.add_own(key, value));
  if (!of_role) PARTITA_TRY_VOID(given.add_own("aws:username", name));
  for (const auto& [key, value] : who->tags) PARTITA_TRY_VOID(given.add_own("aws:PrincipalTag/" + key, value));
  const auth::Policy* const resource = of_resource ? &*of_resource : nullptr;
  const auth::Policies policies{.identity = who->policies,
                                .boundary = who->boundary,
                                .resource = std::span(&resource, resource == nullptr ? 0 : 1)};
  const auth::Ask ask{
      asked.action, asked.resource, {arn, who->role, auth::kAccountId, who->boundary != nullptr, who->id}, given};
  const auth::Decision decision = auth::decide(policies, ask);
  const bool allowed = decision == auth::Decision::kAllowed;
  std::puts(allowed ? "allowed" : wire::message_of(ops::refusal_of(decision, ask)).c_str());
  return allowed;
}

}  // namespace partita::app
