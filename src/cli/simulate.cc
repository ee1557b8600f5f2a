#include "cli/simulate.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "auth/words.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/admin_client.h"
#include "cli/callers.h"
#include "cli/known_actions.h"
#include "cli/local_calls.h"
#include "model/fault.h"
#include "ops/authorisation.h"
#include "ops/resource_arn.h"
#include "table/control/policy.h"
#include "wire/error_body.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::cli {

namespace {

using wire::JsonValue;
using wire::JsonWriter;

constexpr std::string_view kSimulatePolicy = "SimulatePolicy";

Error wrong_request(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

class Given final : public auth::ConditionContext {
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

struct Decided {
  bool allowed = false;
  std::string words;  // that a caller would be told; empty when it is allowed
  std::vector<std::string> warnings;
};

// What is asked about, beside the request.
struct AskedResource {
  const auth::Policy* policy = nullptr;                      // of the resource; null: it has none
  const std::map<std::string, std::string>* tags = nullptr;  // the same
};

// `place`: of the identities, for a sentence.
Result<Decided> decide(const auth::Identities& identities, const Simulated& asked, const AskedResource& subject,
                       std::string_view place) {
  PARTITA_TRY_VOID(check_action(asked.action));
  const std::string& name = asked.user.empty() ? asked.role : asked.user;
  const auth::Identity* const who = asked.user.empty() ? identities.find_role(name) : identities.find(name);
  if (who == nullptr) {
    return wrong_request(std::string(place) + (asked.user.empty() ? " has no role " : " has no user ") + name + ".");
  }
  Given given;
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
  const auth::Decision decision = auth::decide(policies, ask);
  Decided decided;
  decided.allowed = decision == auth::Decision::kAllowed;
  if (!decided.allowed) decided.words = wire::message_of(ops::refusal_of(decision, ask));
  const auto warn = [&](const auth::Policy* policy) {
    if (policy == nullptr) return;
    decided.warnings.insert(decided.warnings.end(), policy->warnings().begin(), policy->warnings().end());
  };
  for (const auth::Policy* const policy : who->policies) warn(policy);
  warn(who->boundary);
  warn(subject.policy);
  return decided;
}

// --- by a file

Result<Decided> decide_by_file(const CommandLine& line) {
  set_log_level(LogLevel::kError);  // what is read over is for who serves
  PARTITA_TRY(const auth::Account account, read_account(line.identities));
  PARTITA_TRY(const auth::Identities identities, auth::Identities::of(account));
  std::optional<auth::Policy> of_resource;
  if (!line.simulated.resource_policy.empty()) {
    PARTITA_TRY(of_resource, read_resource_policy(line.simulated.resource_policy));
  }
  return decide(identities, line.simulated, {of_resource ? &*of_resource : nullptr, nullptr}, line.identities);
}

// --- by a server

Result<Decided> ask_server(const CommandLine& line) {
  const Simulated& asked = line.simulated;
  JsonWriter json;
  const auto say = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    json.key(name);
    json.string(text);
  };
  json.begin_object();
  say("User", asked.user);
  say("Role", asked.role);
  say("Action", asked.action);
  say("Resource", asked.resource);
  if (!asked.resource_policy.empty()) {
    PARTITA_TRY(const std::string document, read_document(asked.resource_policy));
    say("ResourcePolicy", document);
  }
  json.key("Context");
  json.begin_array();
  for (const auto& [key, value] : asked.context) {
    json.begin_array();
    json.string(key);
    json.string(value);
    json.end_array();
  }
  json.end_array();
  json.end_object();
  PARTITA_TRY(AdminClient client, AdminClient::connect(line.data));
  PARTITA_TRY(const wire::JsonDocument document, client.ask(kSimulatePolicy, std::move(json).take()));
  const JsonValue said = document.root();
  Decided decided;
  decided.allowed = said.get("Allowed").as_boolean();
  decided.words = text_of(said.get("Message"));
  for (const JsonValue one : said.get("Warnings").elements()) decided.warnings.push_back(text_of(one));
  return decided;
}

Result<Simulated> simulated_in(const JsonValue& body) {
  Simulated asked;
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

Task<Result<Decided>> decide_by_store(iam::Directory& directory, ops::Service& service, const Simulated& asked) {
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
  const AskedResource subject{found.policy ? &*found.policy : nullptr,
                              found.owner.table == nullptr ? nullptr : &found.owner.table->tags};
  co_return decide(known->identities, asked, subject, "The server");
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
  json.string(decided->words);
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

Result<bool> simulate(const CommandLine& line) {
  PARTITA_TRY(const Decided decided, line.identities.empty() ? ask_server(line) : decide_by_file(line));
  for (const std::string& warning : decided.warnings) std::fprintf(stderr, "Warning: %s\n", warning.c_str());
  std::puts(decided.allowed ? "allowed" : decided.words.c_str());
  return decided.allowed;
}

void answer_simulations(admin::Admin& admin, iam::Directory& directory, ops::Service& service) {
  admin.add(kSimulatePolicy, [&](const ops::Call& call) { return answer(directory, service, call); });
}

}  // namespace partita::cli
