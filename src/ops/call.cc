#include "ops/call.h"

#include <utility>
#include <variant>

#include "base/check.h"
#include "model/fault.h"
#include "ops/operation.h"
#include "wire/error_body.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;

constexpr std::string_view kJson10 = "application/x-amz-json-1.0";
constexpr std::string_view kJson11 = "application/x-amz-json-1.1";
constexpr std::string_view kJson = "application/json";

// "type/subtype" without parameters.
std::string_view media_type(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  const size_t last = type.find_last_not_of(' ');
  return last == std::string_view::npos ? std::string_view() : type.substr(0, last + 1);
}

}  // namespace

Reply reply_of(wire::ErrorReply&& rendered) {
  return {.status = rendered.status,
          .body = std::move(rendered.body),
          .retry_after_ms = rendered.retry_after_ms,
          .error = static_cast<uint8_t>(rendered.exception)};
}

bool speaks_json(const Call& call) {
  if (call.posted && call.content_type == kJson10) return true;  // the usual
  const std::string_view type = media_type(call.content_type);
  if (type == kJson11) {
    const JsonService* const service = find_json_service(call.target);
    return call.posted && service != nullptr && service->content_type == kJson11;
  }
  return call.posted && (type == kJson10 || type == kJson || call.body.empty());
}

Reply not_json() {
  Reply reply = reply_of(wire::render_not_json());
  reply.content_type = "text/xml";
  return reply;
}

void match_content_type(const Call& call, Reply& reply) {
  if (call.content_type == kJson10 || reply.content_type != kJson10) return;
  const std::string_view type = media_type(call.content_type);
  if (type == kJson11) {
    reply.content_type = kJson11;
  } else if (type != kJson10) {
    reply.content_type = kJson;
  }
}

const auth::Caller* known_caller(const Call& call) {
  const auto* const caller = std::get_if<std::shared_ptr<const auth::Caller>>(&call.caller);
  return caller == nullptr ? nullptr : caller->get();
}

Result<const auth::Caller*> caller_of(const Call& call) {
  if (const auth::Caller* const caller = known_caller(call)) return caller;
  const auto& refused = std::get<auth::Refused>(call.caller);
  switch (refused.why) {
    case auth::Refusal::kMissingToken:
      return refuse(Fault::kMissingToken);
    case auth::Refusal::kIncompleteSignature:
      return refuse(Fault::kIncompleteSignature, {refused.detail});
    case auth::Refusal::kInvalidSignature:
      return refuse(Fault::kInvalidSignature, {refused.detail});
    case auth::Refusal::kUnrecognizedClient:
      return refuse(Fault::kUnrecognizedClient, {refused.detail});
    case auth::Refusal::kExpiredToken:
      return refuse(Fault::kExpiredToken);
  }
  PARTITA_CHECK(false);
}

Reply refusal(const Error& error, bool both_message_members) {
  Reply reply = reply_of(wire::render(error, both_message_members));
  if (error.kind() != ErrorKind::kInvalid) reply.set_trouble(error.sentence());
  return reply;
}

Reply overloaded() { return reply_of(wire::render(model::refuse(Fault::kOverloaded))); }

Reply unsigned_call() { return reply_of(wire::render(model::refuse(Fault::kMissingToken))); }

Reply out_of_memory() {
  Reply reply = reply_of(wire::render(model::refuse(Fault::kInternal)));
  reply.set_trouble("there was not enough memory.");
  reply.retry_after_ms = overloaded().retry_after_ms;
  return reply;
}

Reply undecodable(std::string_view why) {
  Reply reply = reply_of(wire::render(model::refuse(Fault::kInternal)));
  reply.set_trouble(why);
  reply.callers_fault = true;
  return reply;
}

Reply too_large() {
  Reply reply;
  reply.status = 413;
  reply.content_type = {};
  reply.error = static_cast<uint8_t>(wire::Exception::kSerialization);  // which it is counted as
  return reply;
}

}  // namespace partita::ops
