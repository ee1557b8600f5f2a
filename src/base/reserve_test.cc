#include "base/reserve.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace partita {
namespace {

size_t address_space() {
  size_t pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu", &pages) != 1) return 0;
  std::fclose(file);
  return pages * 4096;
}

void limit_address_space(rlim_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

// In a process of its own; the exit code counts the steps that went as they should.
int run_out() {
  hold_memory_reserve();
  limit_address_space(address_space() + (4 << 20));
  // YieldBudget as small as a library's: none fails while there is a reserve, nor while it is used up.
  std::vector<std::unique_ptr<char[]>> pieces;
  pieces.reserve(1000);
  while (memory_reserve_held() && pieces.size() < 1000) {
    pieces.emplace_back(new (std::nothrow) char[1 << 20]);
    if (pieces.back() == nullptr) return 1;
  }
  if (pieces.size() == 1000) return 2;
  for (int i = 0; i < 20; ++i) {
    pieces.emplace_back(new (std::nothrow) char[1 << 20]);
    if (pieces.back() == nullptr) return 3;
  }
  pieces.clear();
  if (!memory_reserve_held()) return 4;
  pieces.emplace_back(new (std::nothrow) char[8 << 20]);
  return pieces.back() == nullptr ? 5 : 0;
}

TEST(Reserve, LetsSmallAllocationsLiveAndNothingNewBegin) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers need the address space themselves";
#endif
  EXPECT_TRUE(memory_reserve_held());
  EXPECT_EXIT(std::_Exit(run_out()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace partita
