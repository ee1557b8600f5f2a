#include "base/suspended_coroutine.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/task.h"

namespace partita {
namespace {

// Of no thread: it keeps what it is given.
class Kept final : public Executor {
 public:
  void resume(std::coroutine_handle<> handle) override { given.push_back(handle); }
  std::vector<std::coroutine_handle<>> given;
};

struct Wait {
  SuspendedCoroutine& waiting;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const { waiting = SuspendedCoroutine::here(handle); }
  void await_resume() const noexcept {}
};

Task<void> wait(SuspendedCoroutine& waiting) { co_await Wait{waiting}; }

class SuspendedTest : public testing::Test {
 protected:
  ~SuspendedTest() override { Executor::set_current(nullptr); }

  void begin() {
    start(wait(waiting_), [this] { ended_ = true; });
    ASSERT_FALSE(ended_);
  }

  SuspendedCoroutine waiting_;
  bool ended_ = false;
};

TEST_F(SuspendedTest, GoesOnHereWhereItCameFromNoExecutor) {
  begin();
  Kept other;
  Executor::set_current(&other);
  waiting_.resume();
  EXPECT_TRUE(ended_);
  EXPECT_TRUE(other.given.empty());
}

TEST_F(SuspendedTest, GoesOnThroughTheExecutorItCameFrom) {
  Kept home;
  Executor::set_current(&home);
  begin();
  Kept other;
  for (Executor* const current : {static_cast<Executor*>(&other), static_cast<Executor*>(nullptr)}) {
    Executor::set_current(current);
    home.given.clear();
    waiting_.resume();
    EXPECT_FALSE(ended_);
    ASSERT_EQ(home.given.size(), 1U);
  }
  EXPECT_TRUE(other.given.empty());
  home.given[0].resume();
  EXPECT_TRUE(ended_);
}

}  // namespace
}  // namespace partita
