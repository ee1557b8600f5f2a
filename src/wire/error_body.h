// Any Error as the reply that AWS would give.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "wire/fault_table.h"
#include "wire/json_writer.h"

namespace partita::wire {

struct ErrorReply {
  int status;
  std::string body;
  Exception exception;
  uint32_t retry_after_ms = 0;  // when the same request may succeed; 0: unknown, or never
};

// Bad input gets its fault's exception and text, with the details of model/fault_detail.h. The other kinds reveal
// nothing internal: kConflict becomes ProvisionedThroughputExceededException, which every SDK retries. The rest become
// InternalServerError, status 500, after which AWS too leaves open whether the request took effect.
// `both_message_members`: the text is both "message" and "Message".
ErrorReply render(const Error& error, bool both_message_members = false);

// The reply of IAM and STS, as XML; `space` is its xmlns. kConflict becomes ConcurrentModification.
ErrorReply render_query(const Error& error, std::string_view space, std::string_view request_id);

// The parts of an error, for protocols that write them in their own way.
struct ErrorText {
  std::string type;       // "com.amazonaws.cloudwatch.v2010_08_01#InvalidNextToken"
  std::string_view code;  // of the query protocol: "InvalidNextToken"
  int status = 0;         // of the query protocol
  int json_status = 0;
  std::string message;  // empty: AWS sends none
  Exception exception{};
  uint32_t retry_after_ms = 0;  // as in ErrorReply
};
ErrorText error_text(const Error& error);
// The same of DynamoDB's operations: kConflict is as in render().
ErrorText item_error_text(const Error& error);

// One of the CancellationReasons. Valid as long as the error.
struct ReasonText {
  std::string_view code;               // "None" if this action did not cause the cancellation
  std::optional<std::string> message;  // absent for "None"
  const std::string* item = nullptr;   // as model::encode_item() writes it, if the action asked for it
};
// Empty if the error is no cancelled transaction.
std::vector<ReasonText> reason_texts(const Error& error);

// AWS's reply, as text/xml, to a request that is not of its JSON protocol: the name of the exception and nothing else.
ErrorReply render_not_json();

// The error's code in replies that contain several errors: "ConditionalCheckFailed". "InternalServerError" if it has
// none.
std::string_view code_of(const Error& error);

// Writes the member "Item" if the error carries the item that failed a condition. Error: kCorrupt.
Result<void> write_failed_item(JsonWriter& json, const Error& error);

// Writes the member "FailureException" of a state that something refused.
void write_failure(JsonWriter& json, model::Fault why);

// Which of a fault's texts to use; see FaultRow.
enum class Words : uint8_t { kOlder, kNewer };

// The text alone, with its blanks filled; empty if AWS sends none.
std::string message_of(const Error& error, Words words = Words::kOlder);

}  // namespace partita::wire
