#include "http/wakeup.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {
thread_local bool no_memory = false;
}

// What asio takes its memory from.
extern "C" void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  void* memory = nullptr;
  return no_memory || posix_memalign(&memory, alignment, bytes) != 0 ? nullptr : memory;
}

namespace partita::http {
namespace {

TEST(Wakeup, TakesNoMemory) {
  asio::io_context loop(1);
  int calls = 0;
  Wakeup wakeup(loop, [&] { ++calls; });
  for (int asked = 1; asked <= 3; ++asked) {
    no_memory = true;
    wakeup.ask();
    no_memory = false;
    loop.restart();
    loop.run();
    EXPECT_EQ(calls, asked);
  }
}

// From within the call, as a queue does that is not empty yet.
TEST(Wakeup, MayBeAskedForAgainByItsCall) {
  asio::io_context loop(1);
  int calls = 0;
  Wakeup* again = nullptr;
  Wakeup wakeup(loop, [&] {
    if (++calls < 5) again->ask();
  });
  again = &wakeup;
  wakeup.ask();
  loop.run();
  EXPECT_EQ(calls, 5);
}

}  // namespace
}  // namespace partita::http
