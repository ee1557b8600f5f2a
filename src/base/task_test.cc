#include "base/task.h"

#include <gtest/gtest.h>

#include <exception>
#include <new>
#include <thread>

#include "base/result.h"

namespace partita {
namespace {

Task<int> immediate(int value) { co_return value; }

Task<int64_t> sum_of_immediates(int count) {
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await immediate(i);
  co_return sum;
}

// Suspends, and is resumed by another thread.
struct OtherThread {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    std::thread([handle] { handle.resume(); }).detach();
  }
  void await_resume() {}
};

Task<int> elsewhere(int value) {
  co_await OtherThread{};
  co_return value;
}

Task<int> nested() {
  const int a = co_await elsewhere(1);
  const int b = co_await immediate(2);
  const int c = co_await elsewhere(3);
  co_return a + b + c;
}

Task<Result<int>> failing() {
  Result<int> wrong = Error(ErrorKind::kConflict, "busy");
  PARTITA_CO_TRY(int value, std::move(wrong));
  co_return value;
}

TEST(Task, LongLoopsOfImmediateTasksUseNoStack) { EXPECT_EQ(wait_for(sum_of_immediates(1'000'000)), 499'999'500'000); }

TEST(Task, ResumesFromOtherThreads) {
  for (int i = 0; i < 200; ++i) EXPECT_EQ(wait_for(nested()), 6);
}

TEST(Task, ErrorsTravelThroughTry) {
  const Result<int> result = wait_for(failing());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind(), ErrorKind::kConflict);
}

Task<int> without_memory() {
  co_await OtherThread{};
  std::rethrow_exception(std::make_exception_ptr(std::bad_alloc()));
}

TEST(Task, TheLackOfMemoryReachesWhoWaits) { EXPECT_THROW(wait_for(without_memory()), std::bad_alloc); }

}  // namespace
}  // namespace partita
