// How long a caller should wait before it tries again, for an error that is over by itself.
#pragma once

#include <cstdint>

#include "base/error.h"

namespace partita {

struct RetryAfter final : ErrorDetail {
  explicit RetryAfter(uint32_t wait_ms) : ms(wait_ms) {}
  const uint32_t ms;
};

}  // namespace partita
