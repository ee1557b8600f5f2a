// The time that a client should wait before it retries, for a temporary error.
#pragma once

#include <cstdint>

#include "base/error.h"

namespace partita {

struct RetryAfter final : ErrorDetail {
  explicit RetryAfter(uint32_t wait_ms) : ms(wait_ms) {}
  const uint32_t ms;
};

}  // namespace partita
