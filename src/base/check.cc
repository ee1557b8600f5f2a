#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace partita {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "partita: check failed: %s at %s:%d\n", condition, file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace partita
