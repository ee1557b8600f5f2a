#include "base/check.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/log.h"

namespace partita {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::array<char, 1024> text;
  std::snprintf(text.data(), text.size(), "partita: check failed: %s at %s:%d\n", condition, file, line);
  log_last_words(text.data());
  std::abort();
}

}  // namespace partita
