// Calls of a protocol that is not AWS's JSON. Its bytes are the codec's alone: the service identifies the caller,
// limits, runs and counts, as it does for JSON (ops/service.h).
//
//   ItemCodec codec(request_bytes, reply_bytes);
//   const Result<void> done = co_await handler.call_by(call, codec);
//   if (!done.ok()) write_error(done.error());
//   handler.answered(call, outcome_of(codec.operation(), done), took_ns);
//
// In the Call, `target`, `content_type` and `body` are empty. `caller` is signed for auth::SignedFor::kDax, or kAny.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/task.h"
#include "ops/call.h"
#include "ops/execution.h"
#include "ops/operation.h"

namespace partita::ops {

enum class CodecStep : uint8_t {
  kDone,
  kFetch,  // fetch() first, then the same function again
  kYield,  // the thread's other ready work first, then the same function again
};

// Of one call, and for one thread at a time. All functions get the same context, which outlives the call.
class CallCodec {
 public:
  virtual ~CallCodec() = default;

  virtual const Operation& operation() const = 0;

  // The request. kDone: execution() has it. Errors: the faults of the request; the codec then adds the tables that it
  // has read to `context.footprint`, if there is one.
  virtual Result<CodecStep> decode(const Context& context) = 0;
  // Precondition: decode() returned kDone.
  virtual Execution& execution() = 0;
  // The reply. kDone: the codec has all of it. Precondition: the execution has run, without an error. Errors: kCorrupt;
  // kKeySchemaMismatch for an item without the key of its table.
  virtual Result<CodecStep> encode(const Context& context) = 0;
  // Reads from the store what decode() or encode() did not find, or stores it. Errors: those of the store; the fault of
  // what is not there. The codec must keep it until the call ends: a call that fetches a hundred times for one of them
  // fails.
  virtual Task<Result<void>> fetch(const Context& context) = 0;
};

// What a protocol with codecs calls. Callable from any thread.
class CallHandler {
 public:
  virtual ~CallHandler() = default;
  // As Service::call_by().
  virtual Task<Result<void>> call_by(const Call& call, CallCodec& codec) = 0;
  // Of a request that the protocol answers itself: identifies its caller, and counts it against the limits of rates, as
  // call_by() does. Faults: those of Admission::identify() and enter().
  virtual Result<const auth::Caller*> admit(const Call& call) = 0;
  // The reply to a call is ready, so long after its last byte was read. `reply`: outcome_of() the call; or, if it was
  // refused before call_by(), that refusal, with its operation if that is known.
  virtual void answered(const Call& call, const Reply& reply, int64_t took_ns) = 0;
};

// What answered() is told of a call: a status, the operation and the error. The body is AWS's JSON, which the protocol
// does not send.
Reply outcome_of(const Operation& operation, const Result<void>& done);

}  // namespace partita::ops
