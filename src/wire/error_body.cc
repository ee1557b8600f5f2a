#include "wire/error_body.h"

#include "base/retry_after.h"
#include "model/aside_fault.h"
#include "model/fault.h"
#include "model/fault_detail.h"
#include "wire/fault_table.h"
#include "wire/json_writer.h"
#include "wire/legible.h"
#include "wire/shape_print.h"
#include "wire/xml_writer.h"

namespace partita::wire {
namespace {

using model::ConditionFailedDetail;
using model::Fault;
using model::TransactionCancelledDetail;

Fault fault_told(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kInvalid:
      return model::fault_of(error);
    case ErrorKind::kConflict:
      return Fault::kThroughputExceeded;
    case ErrorKind::kTooLarge:
      // Sent again it fails again, which a server's error would not say.
      return Fault::kItemTooLarge;
    case ErrorKind::kUnknown:
    case ErrorKind::kUnavailable:
    case ErrorKind::kCorrupt:
      return Fault::kInternal;
  }
  return Fault::kInternal;
}

// Within a transaction, losing against others is a reason of its own.
Fault fault_told(const TransactionCancelledDetail::Reason& reason) {
  return reason.error->kind() == ErrorKind::kConflict ? Fault::kTransactionConflict : fault_told(*reason.error);
}

std::string_view code_of(const TransactionCancelledDetail::Reason& reason) {
  if (!reason.error) return "None";
  const std::string_view code = name_of(row_of(fault_told(reason)).exception).reason_code;
  return code.empty() ? "ValidationError" : code;
}

const TransactionCancelledDetail* cancellation_of(const Error& error) {
  return dynamic_cast<const TransactionCancelledDetail*>(error.detail().get());
}

// "TableReadProvisionedThroughputExceeded"
std::string name_of(const model::ThrottledDetail::Reason& why) {
  constexpr std::string_view kLimits[] = {"ProvisionedThroughputExceeded", "KeyRangeThroughputExceeded",
                                          "MaxOnDemandThroughputExceeded", "AccountLimitExceeded"};
  const std::string_view limit = kLimits[static_cast<size_t>(why.limit)];
  std::string name;
  name.reserve(10 + limit.size());
  return name.append(why.index ? "Index" : "Table").append(why.write ? "Write" : "Read").append(limit);
}

constexpr size_t kFewBytes = 512;
constexpr size_t kMaxMessageBytes = 64 * 1024;  // ours: what is wrong with megabytes can be said without them

// Where a policy is found instead of none AWS has other words than where it is found with another revision.
constexpr std::string_view kPolicyExpectedNone =
    "Resource-based policy not found for the provided ResourceArn: Requested policy update expecting none to be present "
    "for table {1}, but a policy exists with revision id {2}.";

bool expects_no_policy(Fault fault, const std::vector<std::string>& args) {
  return fault == Fault::kPolicyOfOtherRevision && !args.empty() && args.front() == "NO_POLICY";
}

std::string text_of(const Error& error, Fault fault, Words words = Words::kOlder) {
  const TransactionCancelledDetail* cancelled = cancellation_of(error);
  if (cancelled == nullptr) {
    // A sentence for the operator is not for the caller.
    static const std::vector<std::string> kNone;
    const auto& args = error.kind() == ErrorKind::kInvalid ? error.args() : kNone;
    if (expects_no_policy(fault, args)) return fill(kPolicyExpectedNone, args);
    const FaultRow& row = row_of(fault);
    const bool newer = words == Words::kNewer && !row.newer.empty();
    const std::string_view text = newer ? row.newer : row.text;
    if (!text.contains('{')) return std::string(text);
    return shortened(legible(fill(text, args)), kMaxMessageBytes);
  }
  std::string codes;
  for (const auto& reason : cancelled->reasons) {
    if (!codes.empty()) codes += ", ";
    codes += code_of(reason);
  }
  return fill(row_of(fault).text, {codes});
}

const ConditionFailedDetail* failed_condition_of(const Error& error) {
  return dynamic_cast<const ConditionFailedDetail*>(error.detail().get());
}

// "com.amazonaws.dynamodb.v20120810#ThrottlingException"
std::string type_of(const ExceptionName& exception) {
  std::string type;
  type.reserve(exception.space.size() + 1 + exception.name.size());
  return type.append(exception.space).append(1, '#').append(exception.name);
}

std::string_view message_key_of(const Error& error, Fault fault, const ExceptionName& exception) {
  if (fault == Fault::kStrictSerialization) return "message";
  return failed_condition_of(error) != nullptr ? "Message" : exception.message_key;
}

// Error: kCorrupt; then the text is thrown away.
Result<void> write_reasons(JsonWriter& json, const TransactionCancelledDetail& cancelled) {
  json.begin_array("CancellationReasons");
  for (const auto& reason : cancelled.reasons) {
    json.begin_object();
    json.member("Code", code_of(reason));
    if (reason.error) {
      json.member("Message", text_of(*reason.error, fault_told(reason)));
    }
    if (reason.error) PARTITA_TRY_VOID(write_failed_item(json, *reason.error));
    json.end_object();
  }
  json.end_array();
  return {};
}

// The service model has two spellings of this member, by exception; SDKs drop the wrong one.
void write_throttling_reason(JsonWriter& json, const model::ThrottledDetail::Reason& why, Exception exception) {
  json.begin_array(exception == Exception::kThrottling ? "throttlingReasons" : "ThrottlingReasons");
  json.begin_object();
  json.member("reason", name_of(why));
  json.member("resource", why.resource);
  json.end_object();
  json.end_array();
}

// About what the reply takes.
size_t expected_bytes(const Error& error) {
  const auto item_bytes = [](const Error& one) {
    const ConditionFailedDetail* const failed = failed_condition_of(one);
    return failed != nullptr ? failed->item.size() + failed->item.size() / 16 : 0;
  };
  size_t bytes = kFewBytes + item_bytes(error);
  if (const auto* cancelled = cancellation_of(error)) {
    for (const auto& reason : cancelled->reasons) bytes += reason.error ? item_bytes(*reason.error) : 0;
  }
  return bytes;
}

// How long what stands in the way usually takes: others who change the same, requests that hold all memory, a store
// that changes its primary.
uint32_t retry_after_ms(const Error& error, Exception exception) {
  constexpr uint32_t kOthersMs = 50;
  constexpr uint32_t kMemoryMs = 200;
  constexpr uint32_t kOutageMs = 1'000;
  if (const auto* said = dynamic_cast<const RetryAfter*>(error.detail().get())) return said->ms;
  if (const auto* throttled = model::throttled_of(error)) return throttled->retry_after_ms;
  switch (exception) {
    case Exception::kProvisionedThroughputExceeded:
    case Exception::kTransactionConflict:
    case Exception::kTransactionInProgress:
    case Exception::kThrottling:
    case Exception::kConcurrentModification:
      return kOthersMs;
    case Exception::kRequestLimitExceeded:
    case Exception::kServiceUnavailable:
      return kMemoryMs;
    default:
      return error.kind() == ErrorKind::kUnavailable || error.kind() == ErrorKind::kUnknown ? kOutageMs : 0;
  }
}

Exception exception_of(const Error& error, Fault fault) {
  const auto* const aside = dynamic_cast<const model::AsideDetail*>(error.detail().get());
  if (aside == nullptr) return row_of(fault).exception;
  switch (aside->fault) {
    case model::AsideFault::kNotFound:
      return Exception::kResourceNotFound;
    case model::AsideFault::kInUse:
      return Exception::kResourceInUse;
    case model::AsideFault::kLimit:
      return Exception::kLimitExceeded;
    case model::AsideFault::kBusy:
      return Exception::kRequestLimitExceeded;
  }
  PARTITA_CHECK(false);
}

}  // namespace

std::string message_of(const Error& error, Words words) { return text_of(error, fault_told(error), words); }

void write_failure(JsonWriter& json, model::Fault why) {
  const FaultRow& row = row_of(why);
  json.begin_object("FailureException");
  json.member("ExceptionName", name_of(row.exception).name);
  json.member("ExceptionDescription", row.text);
  json.end_object();
}

Result<void> write_failed_item(JsonWriter& json, const Error& error) {
  const ConditionFailedDetail* const failed = failed_condition_of(error);
  if (failed == nullptr) return {};
  json.key("Item");
  return json.write_encoded_item(failed->item);
}

std::string_view code_of(const Error& error) {
  const std::string_view code = name_of(row_of(fault_told(error)).exception).reason_code;
  return code.empty() ? name_of(Exception::kInternalServerError).name : code;
}

namespace {

// A server that refuses most of its requests makes nothing more often than this reply. Its text has no arguments, and
// the error no other detail.
ErrorReply render_throttled(const Error& error, const model::ThrottledDetail& throttled) {
  const FaultRow& row = row_of(model::fault_of(error));
  const ExceptionName& exception = name_of(row.exception);
  JsonWriter json(kFewBytes + row.text.size());
  json.begin_object();
  json.member("__type", type_of(exception));
  json.member(exception.message_key, row.text);
  write_throttling_reason(json, throttled.reason, row.exception);
  json.end_object();
  return {exception.status, std::move(json).take(), row.exception, throttled.retry_after_ms};
}

}  // namespace

ErrorReply render(const Error& error, bool both_message_members) {
  if (const auto* throttled = model::throttled_of(error)) return render_throttled(error, *throttled);
  const Fault fault = fault_told(error);
  const ExceptionName& exception = name_of(exception_of(error, fault));
  JsonWriter json(expected_bytes(error));
  json.begin_object();
  json.member("__type", type_of(exception));
  const std::string text = text_of(error, fault);
  if (!text.empty()) {
    const std::string_view key = message_key_of(error, fault, exception);
    json.member(key, text);
    if (both_message_members) json.member(key == "message" ? "Message" : "message", text);
  }
  const auto* cancelled = cancellation_of(error);
  auto written = cancelled != nullptr ? write_reasons(json, *cancelled) : write_failed_item(json, error);
  if (!written.ok()) return render(written.error(), both_message_members);
  json.end_object();
  return {exception.status, std::move(json).take(), exception.exception, retry_after_ms(error, exception.exception)};
}

namespace {

ErrorText text_of_parts(const Error& error, Fault fault) {
  const ExceptionName& exception = name_of(exception_of(error, fault));
  ErrorText text;
  text.type = type_of(exception);
  text.code = exception.query_name.empty() ? exception.name : exception.query_name;
  text.status = exception.query_status != 0 ? exception.query_status : exception.status;
  text.json_status = exception.status;
  text.message = text_of(error, fault);
  text.exception = exception.exception;
  text.retry_after_ms = retry_after_ms(error, exception.exception);
  return text;
}

}  // namespace

ErrorText error_text(const Error& error) {
  return text_of_parts(error, error.kind() == ErrorKind::kConflict ? Fault::kIamBusy : fault_told(error));
}

ErrorText item_error_text(const Error& error) { return text_of_parts(error, fault_told(error)); }

std::vector<ReasonText> reason_texts(const Error& error) {
  std::vector<ReasonText> texts;
  const TransactionCancelledDetail* const cancelled = cancellation_of(error);
  if (cancelled == nullptr) return texts;
  texts.reserve(cancelled->reasons.size());
  for (const auto& reason : cancelled->reasons) {
    ReasonText& text = texts.emplace_back(code_of(reason));
    if (!reason.error) continue;
    text.message = text_of(*reason.error, fault_told(reason));
    const ConditionFailedDetail* const failed = failed_condition_of(*reason.error);
    if (failed != nullptr) text.item = &failed->item;
  }
  return texts;
}

ErrorReply render_query(const Error& error, std::string_view space, std::string_view request_id) {
  const Fault fault = error.kind() == ErrorKind::kConflict ? Fault::kIamBusy : fault_told(error);
  const ExceptionName& exception = name_of(row_of(fault).exception);
  const int status = exception.query_status != 0 ? exception.query_status : exception.status;
  XmlWriter xml;
  xml.begin("ErrorResponse", space);
  xml.begin("Error");
  xml.text("Type", status < 500 ? "Sender" : "Receiver");
  xml.text("Code", exception.query_name.empty() ? exception.name : exception.query_name);
  xml.text("Message", text_of(error, fault));
  xml.end();
  xml.text("RequestId", request_id);
  xml.end();
  return {status, std::move(xml).take(), exception.exception, retry_after_ms(error, exception.exception)};
}

ErrorReply render_not_json() { return {404, "<UnknownOperationException/>\n", Exception::kUnknownOperation}; }

}  // namespace partita::wire
