#include "ops/service.h"

#include <utility>
#include <variant>

#include "model/fault.h"
#include "ops/operation.h"
#include "wire/error_body.h"
#include "wire/json_reader.h"
#include "wire/shape.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;

constexpr std::string_view kTargetPrefix = "DynamoDB_20120810.";
constexpr std::string_view kJson10 = "application/x-amz-json-1.0";
constexpr std::string_view kJson11 = "application/x-amz-json-1.1";

// A table that changes that often during one request is at war with somebody.
constexpr int kMostTries = 100;

// "type/subtype" without parameters.
std::string_view media_type(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  const size_t last = type.find_last_not_of(' ');
  return last == std::string_view::npos ? std::string_view() : type.substr(0, last + 1);
}

bool speaks_json(const Call& call) {
  const std::string_view type = media_type(call.content_type);
  return type == kJson10 || type == kJson11 || type == "application/json";
}

// Null when there is none.
const Operation* named_by(const Call& call) {
  if (!call.target.starts_with(kTargetPrefix)) return nullptr;
  return find_operation(call.target.substr(kTargetPrefix.size()));
}

Result<const auth::Caller*> admit(const Call& call) {
  if (const auto* caller = std::get_if<auth::Caller>(&call.caller)) return caller;
  const auto& refused = std::get<auth::Refused>(call.caller);
  switch (refused.why) {
    case auth::Refusal::kMissingToken:
      return refuse(Fault::kMissingToken);
    case auth::Refusal::kIncompleteSignature:
      return refuse(Fault::kIncompleteSignature, {refused.detail});
    case auth::Refusal::kInvalidSignature:
      return refuse(Fault::kInvalidSignature, {refused.detail});
  }
  PARTITA_CHECK(false);
}

Task<Result<std::string>> answer(table::Database& database, const Call& call, const Operation* operation) {
  PARTITA_CO_TRY(const wire::JsonDocument document, wire::JsonDocument::parse(call.body));
  if (operation == nullptr) co_return refuse(Fault::kUnknownOperation);
  PARTITA_CO_TRY(const auth::Caller* caller, admit(call));
  const wire::JsonValue body = document.root();
  PARTITA_CO_TRY_VOID(wire::check_shape(body, operation->shape));
  const Context context{database, *caller};
  auto reply = co_await operation->handler(context, body);
  for (int tries = 1; !reply.ok() && table::Database::binds_again(reply.error()) && tries < kMostTries; ++tries) {
    PARTITA_CO_TRY_VOID(co_await database.before_binding_again(reply.error()));
    reply = co_await operation->handler(context, body);
  }
  co_return reply;
}

}  // namespace

struct Service::Parts {
  table::Database& database;
};

Service::Service(table::Database& database) : parts_(std::make_unique<Parts>(Parts{database})) {}
Service::~Service() = default;

Reply overloaded() {
  auto [status, text] = wire::render(model::refuse(Fault::kOverloaded));
  return {.status = status, .body = std::move(text)};
}

Reply out_of_memory() {
  auto [status, text] = wire::render(model::refuse(Fault::kInternal));
  return {.status = status, .body = std::move(text), .trouble = "there was not enough memory."};
}

// Beside the parsed text there are at one moment: what it was decoded to, the records, and the batch that is written.
size_t Service::memory_of(const Call& call) {
  constexpr size_t kCopies = 3;
  return wire::JsonDocument::memory_of(call.body) + kCopies * call.body.size();
}

Task<Reply> Service::call(const Call& call) {
  Reply reply;
  if (!speaks_json(call)) {
    auto [status, text] = wire::render_not_json();
    reply.status = status;
    reply.content_type = "text/xml";
    reply.body = std::move(text);
    co_return reply;
  }
  const Operation* const operation = named_by(call);
  reply.repeatable = operation != nullptr && operation->kind == Kind::kRead;
  auto answered = co_await answer(parts_->database, call, operation);
  if (answered.ok()) {
    reply.body = std::move(answered).value();
  } else {
    const Error& error = answered.error();
    auto [status, text] = wire::render(error);
    reply.status = status;
    reply.body = std::move(text);
    if (error.kind() != ErrorKind::kInvalid) reply.trouble = error.sentence();
  }
  co_return reply;
}

}  // namespace partita::ops
