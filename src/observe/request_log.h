// Log lines about single requests: failed, slow and refused ones; at debug level, all.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/log.h"
#include "ops/service.h"

namespace partita::observe {

// Callable from any thread. At most one line a second for failed and slow requests and one for refusals; the next line
// then says how many were held back. At debug level nothing is held back.
class RequestLog {
 public:
  // Requests that take at least `slow_ms` are slow.
  explicit RequestLog(int64_t slow_ms) : slow_ms_(slow_ms) {}

  // error: status 500 and above. warn: slow. info: refused for its signature, by policies, or for a body that cannot be
  // unpacked. debug: all others.
  // `space`: the namespace, or empty.
  void write(const ops::Call& call, std::string_view space, const ops::Reply& reply, int64_t took_ns);

 private:
  const int64_t slow_ms_;
  LogThrottle failures_;
  LogThrottle refusals_;
};

}  // namespace partita::observe
