// The lines of the log about single requests: failed and slow ones, refusals, and at debug level all of them.
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
  // A request that took at least `slow_ms` is slow.
  explicit RequestLog(int64_t slow_ms) : slow_ms_(slow_ms) {}

  // error: status 500 and above. warn: slow. info: refused because of its signature, by policies or
  // because its body cannot be unpacked. debug: all others.
  // `space`: the namespace, or empty.
  void write(const ops::Call& call, std::string_view space, const ops::Reply& reply, int64_t took_ns);

 private:
  const int64_t slow_ms_;
  LogThrottle failures_;
  LogThrottle refusals_;
};

}  // namespace partita::observe
