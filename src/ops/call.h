// A call and its reply, as protocols and the service exchange them, and the replies that need no operation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "base/result.h"

namespace partita::wire {
struct ErrorReply;
}

namespace partita::ops {

// Where a call comes from.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::string address() const = 0;  // of the network, as digits; empty when it is not known any more
  virtual bool encrypted() const = 0;
  // A header of the request, by its name in lower case; empty when absent. Valid until the call is answered.
  virtual std::string_view header(std::string_view /*lower_name*/) const { return {}; }
  // Whether it is the administration socket, whose calls are not signed.
  virtual bool administrates() const { return false; }
  // `gone` is called once, when the connection has ended, but not while one of its calls is answered. It replaces the
  // function that was given before.
  virtual void when_gone(std::function<void()> /*gone*/) const {}
};

class RequestFootprint;
struct Operation;

// One request as a protocol received it. Everything it points into must live until it is answered.
struct Call {
  std::string_view target;        // the X-Amz-Target header, empty when absent
  std::string_view content_type;  // the Content-Type header, empty when absent
  std::string_view body;
  auth::Verdict caller;
  std::string_view host = {};  // the Host header, empty when absent
  const Source* source = nullptr;
  std::string_view request_id = {};       // which the head of the reply repeats
  std::string_view space = {};            // the X-Partita-Namespace header, empty when absent
  bool posted = true;                     // false: not a POST, and the members above are empty
  RequestFootprint* footprint = nullptr;  // gets what the call names; null: nobody asks
};

struct Reply {
  int status = 200;
  std::string_view content_type = "application/x-amz-json-1.0";  // static storage
  std::string body = {};
  bool repeatable = false;      // the operation changes nothing: its reply may be dropped and asked for again
  std::string trouble = {};     // what the operator should know of a failure; not for the caller
  uint32_t retry_after_ms = 0;  // how long the caller should wait before it tries again; 0: nothing is said
  // For RequestCounts: which operation it was, if there is one of that name, and the number of its error, if any.
  const Operation* operation = nullptr;
  std::optional<uint8_t> error = std::nullopt;
  bool callers_fault = false;  // though AWS answers it as one of the server: counted as SerializationException
};

// The reply when there is no memory to begin with the call. Every SDK tries again.
Reply overloaded();
// The reply to a call that failed: AWS's words, and what the operator should know.
Reply refusal(const Error& error);
// Who calls. Faults: what is wrong with the signature.
Result<const auth::Caller*> caller_of(const Call& call);
// The same; null when the signature was refused.
const auth::Caller* known_caller(const Call& call);
// Whether the content type is JSON, or there is no body; if not, not_json() is the reply.
bool speaks_json(const Call& call);
Reply not_json();
// The reply gets the content type of the call: "application/json" for all but the usual type.
void match_content_type(const Call& call, Reply& reply);
// The reply to a body that cannot be decompressed: an internal error, as from AWS. `why` is for the operator.
Reply undecodable(std::string why);
// The reply to a body that is too large once it is decompressed.
Reply too_large();
// The reply to a call without a signature.
Reply unsigned_call();
// The reply when memory ran out in the middle: the request may have taken effect.
Reply out_of_memory();
// An error as the bytes that AWS answers.
Reply reply_of(wire::ErrorReply&& rendered);

}  // namespace partita::ops
