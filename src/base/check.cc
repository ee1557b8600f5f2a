#include "base/check.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace partita {

namespace {

void write_to_stderr(std::string_view text) noexcept { std::fwrite(text.data(), 1, text.size(), stderr); }

constinit std::atomic<LastWords> last_words{write_to_stderr};

}  // namespace

void set_last_words(LastWords write) noexcept { last_words.store(write, std::memory_order_release); }

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::array<char, 1024> text;
  std::snprintf(text.data(), text.size(), "partita: check failed: %s at %s:%d\n", condition, file, line);
  last_words.load(std::memory_order_acquire)(text.data());
  std::abort();
}

}  // namespace partita
