// Answers calls of protocols that are not JSON, in the namespace of their caller's key, and has them counted, logged,
// audited and traced as those of HTTP.
#pragma once

#include <cstdint>

#include "namespaces/namespaces.h"
#include "observe/audit_log.h"
#include "observe/request_log.h"
#include "observe/traces.h"
#include "ops/call_codec.h"

namespace partita::app {

// Callable from any thread.
class CodecHandler final : public ops::CallHandler {
 public:
  // `audit` and `traces` may be null. What all arguments point to outlives this.
  CodecHandler(namespaces::Namespaces& namespaces, observe::AuditLog* audit, observe::Traces* traces, int64_t slow_ms)
      : namespaces_(namespaces), service_(namespaces.root().service()), audit_(audit), traces_(traces), log_(slow_ms) {}
  Task<Result<void>> call_by(const ops::Call& call, ops::CallCodec& codec) override {
    return namespaces_.is_default_by_key(call) ? service_.call_by(call, codec) : namespaces_.call_by(call, codec);
  }
  // All namespaces share the limits of rates.
  Result<const auth::Caller*> admit(const ops::Call& call) override { return service_.admit(call); }
  void answered(const ops::Call& call, const ops::Reply& reply, int64_t took_ns) override;

 private:
  namespaces::Namespaces& namespaces_;
  ops::Service& service_;
  observe::AuditLog* const audit_;
  observe::Traces* const traces_;
  observe::RequestLog log_;
};

}  // namespace partita::app
