#include "cli/simulate.h"

#include <cstdio>
#include <optional>
#include <utility>

#include "base/log.h"
#include "cli/admin_client.h"
#include "cli/callers.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::cli {

namespace {

using wire::JsonValue;
using wire::JsonWriter;

Result<admin::SimulatedDecision> decide_by_file(const SimulateOptions& options) {
  set_log_level(LogLevel::kError);  // warnings about ignored roles are for servers
  PARTITA_TRY(const auth::Account account, read_account(options.identities));
  PARTITA_TRY(const auth::Identities identities, auth::Identities::of(account));
  std::optional<auth::Policy> of_resource;
  if (!options.request.resource_policy.empty()) {
    PARTITA_TRY(of_resource, read_resource_policy(options.request.resource_policy));
  }
  return admin::simulate(identities, options.request, {of_resource ? &*of_resource : nullptr, nullptr},
                         options.identities);
}

Result<admin::SimulatedDecision> ask_server(const SimulateOptions& options) {
  const admin::SimulatedRequest& asked = options.request;
  JsonWriter json;
  const auto say = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    json.member(name, text);
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
  json.begin_array("Context");
  for (const auto& [key, value] : asked.context) {
    json.begin_array();
    json.string(key);
    json.string(value);
    json.end_array();
  }
  json.end_array();
  json.end_object();
  PARTITA_TRY(AdminClient client, AdminClient::connect(options.server));
  PARTITA_TRY(const wire::JsonDocument document, client.ask(admin::kSimulatePolicy, std::move(json).take()));
  const JsonValue said = document.root();
  admin::SimulatedDecision decided;
  decided.allowed = said.get("Allowed").as_boolean();
  decided.message = text_of(said.get("Message"));
  for (const JsonValue one : said.get("Warnings").elements()) decided.warnings.push_back(text_of(one));
  return decided;
}

}  // namespace

Result<bool> simulate(const SimulateOptions& options) {
  PARTITA_TRY(const admin::SimulatedDecision decided,
              options.identities.empty() ? ask_server(options) : decide_by_file(options));
  for (const std::string& warning : decided.warnings) std::fprintf(stderr, "Warning: %s\n", warning.c_str());
  std::puts(decided.allowed ? "allowed" : decided.message.c_str());
  return decided.allowed;
}

}  // namespace partita::cli
