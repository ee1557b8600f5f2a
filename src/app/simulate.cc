#include "app/simulate.h"

#include <array>
#include <cstdio>
#include <map>
#include <span>

#include "app/callers.h"
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

  std::optional<std::span<const std::string_view>> values(const auth::KeyName& name) override {
    const auto found = values_.find({name.key, name.tag});
    if (found == values_.end()) return std::nullopt;
    return std::span<const std::string_view>(found->second);
  }

 private:
  std::map<std::pair<auth::ConditionKey, std::string>, std::vector<std::string_view>> values_;
};

}  // namespace

Result<bool> simulate(const CommandLine& line) {
  const Simulated& asked = line.simulated;
  PARTITA_TRY(const auth::Identities identities, read_identities(line.identities));
  const auth::Identity* const user = identities.find(asked.user);
  if (user == nullptr) return Error(ErrorKind::kInvalid, line.identities + " has no user " + asked.user + ".");
  std::optional<auth::Policy> of_resource;
  if (!asked.resource_policy.empty()) {
    PARTITA_TRY(of_resource, read_resource_policy(asked.resource_policy));
  }
  Given given;
  const std::array<std::pair<std::string_view, std::string_view>, 3> own = {
      {{"aws:username", user->name}, {"aws:userid", user->id}, {"aws:PrincipalArn", user->arn}}};
  for (const auto& [key, value] : own) PARTITA_TRY_VOID(given.add(key, value));
  for (const auto& [key, value] : user->tags) PARTITA_TRY_VOID(given.add("aws:PrincipalTag/" + key, value));
  for (const auto& [key, value] : asked.context) PARTITA_TRY_VOID(given.add(key, value));
  const auth::Policy* const resource = of_resource ? &*of_resource : nullptr;
  const auth::Policies policies{.identity = user->policies,
                                .boundary = user->boundary,
                                .resource = std::span(&resource, resource == nullptr ? 0 : 1)};
  const auth::Ask ask{asked.action, asked.resource, {user->arn, {}, auth::kAccount, user->boundary != nullptr}, given};
  const auth::Decision decision = auth::decide(policies, ask);
  const bool allowed = decision == auth::Decision::kAllowed;
  std::puts(allowed ? "allowed" : wire::message_of(ops::refusal_of(decision, ask)).c_str());
  return allowed;
}

}  // namespace partita::app
