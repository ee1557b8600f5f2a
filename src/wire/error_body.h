// Any Error as the reply that AWS would give.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "wire/fault_table.h"
#include "wire/json_writer.h"

namespace partita::wire {

struct ErrorReply {
  int status;
  std::string body;
  Exception exception;
  uint32_t retry_after_ms = 0;  // when the same request may succeed; 0: nobody knows, or never
};

// Bad input gets its fault's exception and text, with the details of model/fault_detail.h. The other kinds say nothing
// of our insides: kConflict becomes ProvisionedThroughputExceededException, which every SDK tries again; the rest
// InternalServerError, status 500, after which AWS too leaves open whether the request took effect.
ErrorReply render(const Error& error);

// The same as IAM and STS answer, as XML; `space` is its xmlns. kConflict becomes ConcurrentModification.
ErrorReply render_query(const Error& error, std::string_view space, std::string_view request_id);

// What AWS answers, as text/xml, to anything that is not its JSON: not even an error body.
ErrorReply render_not_json();

// What the error is called where several stand in one reply: "ConditionalCheckFailed". "InternalServerError" for what
// has no such name.
std::string_view code_of(const Error& error);

// The member "Item", when the error carries the item that failed a condition. Error: kCorrupt.
Result<void> write_failed_item(JsonWriter& json, const Error& error);

// Which of a fault's texts; see FaultRow.
enum class Words : uint8_t { kOlder, kNewer };

// The text alone, with its blanks filled; empty when AWS sends none.
std::string message_of(const Error& error, Words words = Words::kOlder);

}  // namespace partita::wire
