#include "base/async_mutex.h"

#include <gtest/gtest.h>

#include <coroutine>
#include <vector>

#include "base/task.h"

namespace partita {
namespace {

// Until somebody resumes `paused`.
struct Pause {
  std::coroutine_handle<>& paused;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) { paused = handle; }
  void await_resume() const noexcept {}
};

Task<void> work(AsyncMutex& async_mutex, std::vector<int>& done, int number, std::coroutine_handle<>& paused) {
  AsyncMutex::Guard guard(async_mutex);
  co_await guard;
  done.push_back(number);
  co_await Pause{paused};
  done.push_back(-number);
}

TEST(AsyncMutex, WhoCameFirstGoesFirstAndNobodyBeforeItHasEnded) {
  AsyncMutex async_mutex;
  std::vector<int> done;
  std::coroutine_handle<> paused;
  for (const int number : {1, 2, 3}) start(work(async_mutex, done, number, paused), [] {});
  EXPECT_EQ(done, (std::vector{1}));
  paused.resume();
  EXPECT_EQ(done, (std::vector{1, -1, 2}));
  paused.resume();
  EXPECT_EQ(done, (std::vector{1, -1, 2, -2, 3}));
  paused.resume();
  start(work(async_mutex, done, 4, paused), [] {});
  EXPECT_EQ(done, (std::vector{1, -1, 2, -2, 3, -3, 4}));
  paused.resume();
}

}  // namespace
}  // namespace partita
