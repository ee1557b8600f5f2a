#include "admin/simulation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "admin/known_actions.h"
#include "auth/text_util.h"
#include "base/clock.h"
#include "model/fault.h"
#include "ops/authorisation.h"
#include "ops/resource_arn.h"
#include "table/control/policy.h"
#include "wire/error_body.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::admin {

namespace {

using wire::JsonValue;
using wire::JsonWriter;

Error wrong_request(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

class SimulatedContext final : public auth::ConditionContext {
 public:
  // Error: for a key that no request has.
  Result<void> add(std::string_view key, std::string_view value) {
    auto name = auth::key_name(key);
    if (!name || name->key == auth::ConditionKey::kUnknown || name->key == auth::ConditionKey::kNever) {
      return wrong_request("No request has the condition key " + std::string(key) + ". Check its spelling.");
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

Result<SimulatedDecision> simulate(const auth::Identities& identities, const SimulatedRequest& asked,
                                   const SimulatedResource& subject, std::string_view place) {
  PARTITA_TRY_VOID(check_action(asked.action));
  const std::string& name = asked.user.empty() ? asked.role : asked.user;
  const auth::Identity* const who = asked.user.empty() ? identities.find_role(name) : identities.find(name);
  if (who == nullptr) {
    return wrong_request(std::string(place) + (asked.user.empty() ? " has no role " : " has no user ") + name + ".");
  }
  SimulatedContext given;
  for (const auto& [key, value] : asked.context) PARTITA_TRY_VOID(given.add(key, value));
  const bool of_role = !who->role.empty();
  const std::string arn =
      of_role ? "arn:aws:sts::" + std::string(auth::kAccountId) + ":assumed-role/" + name + "/simulated" : who->arn;
  const std::string id = of_role ? who->id + ":simulated" : who->id;
  const int64_t now_ms = system_clock().now_ms();
  const std::string time = std::string(utc_text(now_ms).data()) + "Z";
  const std::string epoch = std::to_string(now_ms / 1000);
  const std::array<std::pair<std::string_view, std::string_view>, 10> own = {
      {{"aws:userid", id},
       {"aws:PrincipalArn", who->arn},
       {"aws:PrincipalType", of_role ? "AssumedRole" : "User"},
       {"aws:PrincipalAccount", auth::kAccountId},
       {"aws:ResourceAccount", auth::kAccountId},
       {"aws:PrincipalIsAWSService", "false"},
       {"aws:ViaAWSService", "false"},
       {"aws:ViaAWSMCPService", "false"},
       {"aws:CurrentTime", time},
       {"aws:EpochTime", epoch}}};
  for (const auto& [key, value] : own) PARTITA_TRY_VOID(given.add_own(key, value));
  if (!of_role) PARTITA_TRY_VOID(given.add_own("aws:username", name));
  if (of_role) PARTITA_TRY_VOID(given.add_own("aws:MultiFactorAuthPresent", "false"));
  for (const auto& [key, value] : who->tags) PARTITA_TRY_VOID(given.add_own("aws:PrincipalTag/" + key, value));
  if (subject.tags != nullptr) {
    for (const auto& [key, value] : *subject.tags) PARTITA_TRY_VOID(given.add_own("aws:ResourceTag/" + key, value));
  }
  const auth::Policies policies{.identity = who->policies,
                                .boundary = who->boundary,
                                .resource = std::span(&subject.policy, subject.policy == nullptr ? 0 : 1)};
  const auth::Ask ask{
      asked.action, asked.resource, {arn, who->role, auth::kAccountId, who->boundary != nullptr, who->id}, given};
  const auth::PolicyDecision decision = auth::decide(policies, ask);
  SimulatedDecision decided;
  decided.allowed = decision == auth::PolicyDecision::kAllowed;
  if (!decided.allowed) decided.message = wire::message_of(ops::refusal_of(decision, ask));
  const auto warn = [&](const auth::Policy* policy) {
    if (policy == nullptr) return;
    decided.warnings.insert(decided.warnings.end(), policy->warnings().begin(), policy->warnings().end());
  };
  for (const auth::Policy* const policy : who->policies) warn(policy);
  warn(who->boundary);
  warn(subject.policy);
  return decided;
}

namespace {

Result<SimulatedRequest> simulated_in(const JsonValue& body) {
  SimulatedRequest asked;
  asked.user = text_of(body.get("User"));
  asked.role = text_of(body.get("Role"));
  asked.action = text_of(body.get("Action"));
  asked.resource = text_of(body.get("Resource"));
  asked.resource_policy = text_of(body.get("ResourcePolicy"));
  for (const JsonValue pair : body.get("Context").elements()) {
    std::vector<std::string> words;
    for (const JsonValue word : pair.elements()) words.push_back(text_of(word));
    if (words.size() != 2) return wrong_request("Context is a list of pairs, each of a condition key and a value.");
    asked.context.emplace_back(std::move(words[0]), std::move(words[1]));
  }
  if (asked.user.empty() == asked.role.empty() || asked.action.empty() || asked.resource.empty()) {
    return wrong_request("User or Role, Action and Resource are needed.");
  }
  return asked;
}

// The table of the store's own database that an ARN is about, with the policy that judges the access.
struct ResourceFound {
  table::Owner owner;
  std::optional<auth::Policy> policy;
};
Task<Result<ResourceFound>> find_resource(table::Database& database, const std::string& arn) {
  constexpr std::string_view kStream = "/stream/";
  ResourceFound found;
  const auto parts = ops::arn_parts(arn);
  const auto in = parts && parts->service == "dynamodb" ? ops::in_table(parts->relative_id) : std::nullopt;
  if (!in) co_return found;
  const size_t slash = in->find('/');
  const std::string name(in->substr(0, slash));
  const size_t stream = in->find(kStream);
  const std::string label(stream == std::string_view::npos ? "" : in->substr(stream + kStream.size()));
  PARTITA_CO_TRY(found.owner, co_await table::owner_of(database, name, label));
  if (found.owner.id == 0) co_return found;
  PARTITA_CO_TRY(const auto policies, co_await table::policies_of(database, found.owner.id));
  for (const table::PolicyOf& one : policies) {
    if (one.stream != label) continue;
    PARTITA_CO_TRY(found.policy, auth::Policy::parse(one.document, auth::Policy::Use::kResource));
  }
  co_return found;
}

Task<Result<SimulatedDecision>> decide_by_store(iam::Directory& directory, ops::Service& service,
                                                const SimulatedRequest& asked) {
  DrainLock::SharedGuard guard(service.drain_lock());
  co_await guard;
  if (service.database() == nullptr) co_return Error(ErrorKind::kUnavailable, "There is no database at the moment.");
  if (!directory.is_of_file()) PARTITA_CO_TRY_VOID(co_await directory.look_again());
  auto looked = co_await find_resource(*service.database(), asked.resource);
  PARTITA_CO_TRY(ResourceFound found, std::move(looked));
  if (!asked.resource_policy.empty()) {
    PARTITA_CO_TRY(found.policy, auth::Policy::parse(asked.resource_policy, auth::Policy::Use::kResource));
  }
  const iam::KnownRef known = directory.known();
  const SimulatedResource subject{found.policy ? &*found.policy : nullptr,
                                  found.owner.table == nullptr ? nullptr : &found.owner.table->tags};
  co_return simulate(known->identities, asked, subject, "The server");
}

Task<ops::Reply> answer(iam::Directory& directory, ops::Service& service, const ops::Call& call) {
  const auto refuse = [](const Error& error) {
    if (error.kind() != ErrorKind::kInvalid) return ops::refusal(error);
    return ops::refusal(model::refuse(model::Fault::kConstraints, {std::string(error.sentence())}));
  };
  const auto document = wire::JsonDocument::parse(call.body);
  if (!document.ok()) co_return ops::refusal(document.error());
  const auto asked = simulated_in(document->root());
  if (!asked.ok()) co_return refuse(asked.error());
  const auto decided = co_await decide_by_store(directory, service, *asked);
  if (!decided.ok()) co_return refuse(decided.error());
  JsonWriter json;
  json.begin_object();
  json.key("Allowed");
  json.boolean(decided->allowed);
  json.key("Message");
  json.string(decided->message);
  json.key("Warnings");
  json.begin_array();
  for (const std::string& warning : decided->warnings) json.string(warning);
  json.end_array();
  json.end_object();
  ops::Reply reply;
  reply.body = std::move(json).take();
  co_return reply;
}

}  // namespace

void answer_simulations(Admin& admin, iam::Directory& directory, ops::Service& service) {
  admin.add(kSimulatePolicy, [&](const ops::Call& call) { return answer(directory, service, call); });
}

}  // namespace partita::admin
