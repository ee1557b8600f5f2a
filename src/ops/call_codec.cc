#include "ops/call_codec.h"

namespace partita::ops {

Reply outcome_of(const Operation& operation, const Result<void>& done) {
  Reply reply;
  if (!done.ok()) reply = refusal(done.error());
  reply.repeatable = operation.kind == Kind::kRead;
  reply.operation = &operation;
  return reply;
}

}  // namespace partita::ops
