#include "ops/account_call.h"

#include <utility>
#include <vector>

#include "iam/calls.h"
#include "iam/directory.h"
#include "model/fault.h"
#include "ops/admission.h"
#include "ops/json_codec.h"
#include "wire/error_body.h"
#include "wire/form_reader.h"
#include "wire/shape.h"
#include "wire/xml_writer.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;

constexpr std::string_view kXml = "text/xml";

class FormPolicyChecker final : public iam::PolicyChecker {
 public:
  explicit FormPolicyChecker(const Context& context) : context_(context) {}
  Result<void> check(std::string_view action, const iam::Subject& subject) override {
    return context_.admission.authorisation().check(context_, action, subject);
  }

 private:
  const Context& context_;
};

Reply refusal(const Error& error, iam::Api api, const Call& call, const Operation* operation) {
  wire::ErrorReply rendered = wire::render_query(error, iam::space_of(api), call.request_id);
  Reply reply;
  reply.status = rendered.status;
  reply.content_type = kXml;
  reply.body = std::move(rendered.body);
  reply.error = static_cast<uint8_t>(rendered.exception);
  reply.operation = operation;
  reply.retry_after_ms = rendered.retry_after_ms;
  if (error.kind() != ErrorKind::kInvalid) reply.set_trouble(error.sentence());
  return reply;
}

void note_names(const wire::Form& form, RequestFootprint& footprint) {
  for (const std::string_view parameter :
       {"UserName", "GroupName", "RoleName", "PolicyName", "PolicyArn", "RoleArn", "AccessKeyId"}) {
    if (const auto value = form.find(parameter)) footprint.name(std::string(*value));
  }
}

// A signature is good for one service alone.
Result<void> check_service(const auth::Caller& caller, const iam::CallRow& called) {
  using auth::SignedFor;
  const SignedFor needed = called.api == iam::Api::kIam ? SignedFor::kIam : SignedFor::kSts;
  if (caller.signed_for == SignedFor::kAny || caller.signed_for == needed) return {};
  return refuse(Fault::kInvalidSignature, {auth::wrong_service(needed)});
}

std::string body_of(const iam::CallRow& called, std::string_view result, std::string_view request_id) {
  const std::string response = std::string(called.name) + "Response";
  const std::string inner = std::string(called.name) + "Result";
  wire::XmlWriter xml;
  xml.begin(response, iam::space_of(called.api));
  if (!result.empty()) {
    xml.begin(inner);
    xml.raw(result);
    xml.end();
  }
  xml.begin("ResponseMetadata");
  xml.text("RequestId", request_id);
  xml.end();
  xml.end();
  return std::move(xml).take();
}

// Whether the caller may make calls now.
Result<const auth::Caller*> entered(Admission& admission, const Call& call) {
  PARTITA_TRY(const auth::Caller* caller, admission.identify(call));
  PARTITA_TRY_VOID(admission.enter(call, *caller));
  return caller;
}

}  // namespace

std::span<const Operation> account_operations() {
  static const JsonCodec kNoJson{};
  static const std::vector<Operation> all = [] {
    std::vector<Operation> made;
    for (const iam::CallRow& call : iam::calls()) {
      const Api api = call.api == iam::Api::kIam ? Api::kIam : Api::kSts;
      made.push_back(Operation{call.name, Kind::kControl, call.action, kNoJson, api});
    }
    return made;
  }();
  return all;
}

Task<Reply> answer_form(table::Database& database, Admission& admission, iam::Directory* directory, const Call& call) {
  auto parsed = wire::Form::parse(call.body);
  if (!parsed.ok()) co_return refusal(parsed.error(), iam::Api::kIam, call, nullptr);
  const wire::Form form = std::move(parsed).value();
  if (call.footprint != nullptr) note_names(form, *call.footprint);
  const iam::Api api = iam::api_of(form);
  const auto found = iam::find_call(form);
  const iam::CallRow* const called = found.ok() ? *found : nullptr;
  const Operation* const operation =
      called == nullptr ? nullptr : &account_operations()[static_cast<size_t>(called - iam::calls().data())];
  const auto known = entered(admission, call);
  if (!known.ok()) co_return refusal(known.error(), api, call, operation);
  if (called == nullptr) co_return refusal(found.error(), api, call, operation);
  const auth::Caller& caller = **known;
  const auto meant = check_service(caller, *called);
  if (!meant.ok()) co_return refusal(meant.error(), api, call, operation);
  if (directory == nullptr) co_return refusal(refuse(Fault::kNoOperation), api, call, operation);
  const Context context{database, admission, caller, *operation, call.host, call.body, call.source};
  FormPolicyChecker checker(context);
  auto answered = co_await iam::carry_out(*directory, *called, form, caller, directory->now_ms(), checker);
  if (!answered.ok()) co_return refusal(answered.error(), api, call, operation);
  Reply reply;
  reply.content_type = kXml;
  reply.body = body_of(*called, *answered, call.request_id);
  reply.repeatable = !called->writes;
  reply.operation = operation;
  co_return reply;
}

}  // namespace partita::ops
