// A call and its reply, as protocols and the service exchange them, and the replies that need no operation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "auth/authenticate.h"
#include "base/result.h"

namespace partita::wire {
struct ErrorReply;
}

namespace partita::ops {

// The connection that a call came over. For the thread that serves it.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::string address() const = 0;  // the client's IP address; empty if it is unknown
  virtual bool encrypted() const = 0;
  // A header of the request, by its name in lower case; empty if absent. Valid until the call is answered.
  virtual std::string_view header(std::string_view /*lower_name*/) const { return {}; }
  // Whether it is the administration socket, whose calls are not signed.
  virtual bool administrates() const { return false; }
  // `gone` is called once when the connection has ended, never while one of its calls is being answered. It replaces
  // the previous function.
  virtual void when_gone(std::function<void()> /*gone*/) const {}
};

class RequestFootprint;
struct Operation;

// One request as a protocol received it. It owns nothing: everything it points to must live until it is answered.
struct Call {
  std::string_view target;        // the X-Amz-Target header, empty when absent
  std::string_view content_type;  // the Content-Type header, empty when absent
  std::string_view body;
  auth::Verdict caller;
  std::string_view host = {};  // the Host header, empty when absent
  const Source* source = nullptr;
  std::string_view request_id = {};       // also in the head of the reply
  std::string_view space = {};            // the X-Partita-Namespace header, empty when absent
  std::string_view path = {};             // of the URL, without its query
  bool posted = true;                     // false: not a POST, and the members above are empty
  RequestFootprint* footprint = nullptr;  // gets the names and tables of the call; null: not measured
  int64_t began_ns = 0;                   // when it came, on the monotonic clock; 0: now
};

struct Reply {
  int status = 200;
  std::string_view content_type = "application/x-amz-json-1.0";  // static storage
  std::string body = {};
  bool repeatable = false;      // the operation changes nothing, so its reply may be dropped for lack of memory
  uint32_t retry_after_ms = 0;  // how long the caller should wait before a retry; 0: not stated
  // For RequestCounts: the operation, if one exists with that name, and the wire::Exception of its error, if any.
  const Operation* operation = nullptr;
  std::optional<uint8_t> error = std::nullopt;
  bool callers_fault = false;  // counted as SerializationException, though AWS answers a 500

  // What few replies have. It is apart, since replies are moved on the path of every request.
  struct Rare {
    std::string headers;  // further ones, each with its CR LF
    std::string trouble;  // the cause of a failure, for the log; never sent to the caller
  };
  std::unique_ptr<Rare> rare = nullptr;  // null: empty

  void set_headers(std::string headers) { make_rare().headers = std::move(headers); }
  void set_trouble(std::string_view trouble) { make_rare().trouble = trouble; }
  std::string_view headers() const { return rare ? std::string_view(rare->headers) : std::string_view(); }
  std::string_view trouble() const { return rare ? std::string_view(rare->trouble) : std::string_view(); }

 private:
  Rare& make_rare() {
    if (!rare) rare = std::make_unique<Rare>();
    return *rare;
  }
};

// The reply if there is no memory to begin the call: 503, which SDKs retry.
Reply overloaded();
// The reply to a failed call: AWS's error body, and the cause for the log.
// `both_message_members`: see JsonService.
Reply refusal(const Error& error, bool both_message_members = false);
// The caller of a call, which the call holds. Faults: the refusal of its signature.
Result<const auth::Caller*> caller_of(const Call& call);
// The same; null if the signature was refused.
const auth::Caller* known_caller(const Call& call);
// Whether the content type is JSON or the body is empty. Otherwise not_json() is the reply.
bool speaks_json(const Call& call);
Reply not_json();
// Sets the reply's content type to that of the call: "application/json" unless the call has AWS's own type.
void match_content_type(const Call& call, Reply& reply);
// The reply to a body that cannot be decompressed: an internal error, as from AWS. `why` is for the log.
Reply undecodable(std::string_view why);
// The reply to a body that is too large when decompressed.
Reply too_large();
// The reply to a call without a signature.
Reply unsigned_call();
// The reply if memory ran out during the call: the request may have taken effect.
Reply out_of_memory();
// The reply with an error that wire::render() made.
Reply reply_of(wire::ErrorReply&& rendered);

}  // namespace partita::ops
