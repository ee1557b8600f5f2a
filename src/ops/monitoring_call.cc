#include "ops/monitoring_call.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cloudwatch/calls.h"
#include "cloudwatch/tags.h"
#include "iam/call.h"
#include "model/fault.h"
#include "ops/admission.h"
#include "ops/footprint.h"
#include "ops/json_codec.h"
#include "table/control/insight_rules.h"
#include "wire/error_body.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::Document;

Reply monitoring_reply(cloudwatch::Answer answer, const Operation* operation) {
  Reply reply;
  reply.status = answer.status;
  reply.content_type = answer.content_type;
  if (!answer.headers.empty()) reply.set_headers(std::move(answer.headers));
  reply.body = std::move(answer.body);
  reply.operation = operation;
  return reply;
}

Reply refusal_in(const cloudwatch::Protocol& protocol, const Error& error, const Call& call,
                 const Operation* operation) {
  Reply reply = monitoring_reply(protocol.refusal(error, call.request_id), operation);
  const wire::ErrorText text = wire::error_text(error);
  reply.error = static_cast<uint8_t>(text.exception);
  reply.retry_after_ms = text.retry_after_ms;
  if (error.kind() != ErrorKind::kInvalid) reply.set_trouble(error.sentence());
  return reply;
}

// Whether the caller may make calls of CloudWatch now.
Result<const auth::Caller*> entered_for_monitoring(Admission& admission, const Call& call) {
  using auth::SignedFor;
  PARTITA_TRY(const auth::Caller* caller, admission.identify(call));
  PARTITA_TRY_VOID(admission.enter(call, *caller));
  if (caller->signed_for == SignedFor::kAny || caller->signed_for == SignedFor::kMonitoring) return caller;
  return refuse(Fault::kInvalidSignature, {auth::wrong_service(SignedFor::kMonitoring)});
}

// The alarms and the rule that the call names.
void note_named(const Document& parameters, RequestFootprint* footprint) {
  if (footprint == nullptr) return;
  const auto note = [&](const Document& name) {
    if (const auto* const text = name.as<std::string>()) footprint->name(*text);
  };
  for (const std::string_view member : {"AlarmName", "ResourceARN", "RuleName"}) {
    if (const Document* const name = parameters.find(member)) note(*name);
  }
  const Document* const names = parameters.find("AlarmNames");
  const auto* const list = names == nullptr ? nullptr : names->as<Document::List>();
  if (list == nullptr) return;
  for (const Document& name : *list) note(name);
}

// The rules of all tables, by name.
Task<Result<std::vector<table::InsightRule>>> all_rules(table::Database& database) {
  PARTITA_CO_TRY_VOID(co_await database.catalog().look_again());
  std::vector<table::InsightRule> rules;
  for (const table::Table& table : database.catalog().all()) {
    for (table::InsightRule& rule : table::insight_rules(*table, database.clock().now_ms())) {
      rules.push_back(std::move(rule));
    }
  }
  std::ranges::sort(rules, {}, &table::InsightRule::name);
  co_return rules;
}

// Whether policies allow the call: its action, on each resource that it names. Faults: kDeniedByIdentity and those that
// follow it; kMonitor...
Task<Result<void>> check_policies(const Context& context, const cloudwatch::CallRow& called,
                                  const cloudwatch::CallContext& monitoring, const Document& parameters) {
  if (context.caller.identity == nullptr) co_return Result<void>();
  Authorisation& authorisation = context.admission.authorisation();
  const cloudwatch::Parameters in(parameters, called.name);
  PARTITA_CO_TRY(const std::vector<std::string> resources, cloudwatch::resources_of(called, monitoring, parameters));
  PARTITA_CO_TRY(const cloudwatch::Tags given, cloudwatch::tags_in(in));
  PARTITA_CO_TRY(const std::vector<std::string> removed, cloudwatch::tag_keys_in(in));
  for (const std::string& resource : resources) {
    PARTITA_CO_TRY(const auto tags, co_await cloudwatch::tags_of(monitoring, resource));
    iam::Subject subject{.resource = resource, .tags = tags ? &*tags : nullptr, .given = given};
    for (const auto& [key, value] : given) subject.tag_keys.push_back(key);
    subject.tag_keys.insert(subject.tag_keys.end(), removed.begin(), removed.end());
    PARTITA_CO_TRY_VOID(authorisation.check(context, called.action, subject));
    // What is created with tags is tagged too: "PutMetricAlarm" in the API reference.
    if (called.about == cloudwatch::About::kTagged || given.empty()) continue;
    PARTITA_CO_TRY_VOID(authorisation.check(context, cloudwatch::find_call("TagResource")->action, subject));
  }
  co_return Result<void>();
}

// The steps of a call whose caller is known.
Task<Result<Document>> carry_out_monitoring(const Context& context, const cloudwatch::CallRow& called,
                                            const Document& parameters, metrics::AlarmActions actions) {
  cloudwatch::CallContext monitoring{context.database.engine(), context.database.clock(),  context.database.random(),
                                     context.caller.region,     context.caller.account_id, actions};
  PARTITA_CO_TRY_VOID(co_await check_policies(context, called, monitoring, parameters));
  std::vector<table::InsightRule> rules;
  if (called.about == cloudwatch::About::kRules || called.about == cloudwatch::About::kRule) {
    PARTITA_CO_TRY(rules, co_await all_rules(context.database));
    monitoring.rules = rules;
  }
  const cloudwatch::Parameters in(parameters, called.name);
  co_return co_await called.run(monitoring, in);
}

}  // namespace

std::span<const Operation> monitoring_operations() {
  static const JsonCodec kNone{};
  static const std::vector<Operation> all = [] {
    std::vector<Operation> made;
    for (const cloudwatch::CallRow& call : cloudwatch::calls()) {
      made.push_back(Operation{call.name, Kind::kControl, call.action, kNone, Api::kCloudWatch});
    }
    return made;
  }();
  return all;
}

Task<Reply> answer_monitoring(table::Database& database, Admission& admission, MonitoringSettings settings,
                              const cloudwatch::Protocol& protocol, const Call& call) {
  const cloudwatch::Raw raw{call.target, call.path, call.content_type, call.body};
  const std::string name = protocol.operation(raw);
  const cloudwatch::CallRow* const called = cloudwatch::find_call(name);
  const Operation* const operation =
      called == nullptr ? nullptr : &monitoring_operations()[static_cast<size_t>(called - cloudwatch::calls().data())];
  const auto parameters = protocol.parameters(raw);
  if (parameters.ok()) note_named(*parameters, call.footprint);
  const auto known = entered_for_monitoring(admission, call);
  if (!known.ok()) co_return refusal_in(protocol, known.error(), call, operation);
  if (!parameters.ok()) co_return refusal_in(protocol, parameters.error(), call, operation);
  if (called == nullptr) co_return refusal_in(protocol, refuse(Fault::kMonitorNoOperation, {name}), call, nullptr);
  if (settings.in_namespace || !call.space.empty()) {
    co_return refusal_in(protocol, refuse(Fault::kMonitorElsewhere), call, operation);
  }
  const Context context{database, admission, **known, *operation, call.host, call.body, call.source};
  const auto answered = co_await carry_out_monitoring(context, *called, *parameters, settings.actions);
  if (!answered.ok()) co_return refusal_in(protocol, answered.error(), call, operation);
  Reply reply = monitoring_reply(protocol.reply(called->name, *answered, call.request_id), operation);
  reply.repeatable = !called->writes;
  co_return reply;
}

}  // namespace partita::ops
