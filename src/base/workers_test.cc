#include "base/workers.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "base/blocking_scope.h"
#include "base/task.h"

namespace partita {
namespace {

Task<int> niceness_on(Workers& workers) {
  co_await workers.enter();
  co_return getpriority(PRIO_PROCESS, 0);
}

TEST(Workers, StepBackFromWhereTheirProcessStands) {
  Workers workers(1, 3);
  EXPECT_EQ(wait_for(niceness_on(workers)), std::min(getpriority(PRIO_PROCESS, 0) + 3, 19));
}

// As an engine does that waits for its disk.
struct Elsewhere {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    std::thread([executor = Executor::current(), handle] { resume_on(executor, handle); }).detach();
  }
  void await_resume() {}
};

Task<int> read_elsewhere() {
  co_await Elsewhere{};
  co_return 7;
}

Task<bool> wait_on(Workers& workers, int& found) {
  co_await workers.enter();
  {
    const BlockingScope blocking;
    if (Executor::current() == nullptr) found = wait_for(read_elsewhere());  // else it would never end
  }
  co_return Executor::current() == &workers;
}

Task<bool> enters(Workers& workers) { co_return co_await workers.enter(); }

TEST(Workers, SayWhenTheSystemMakesNoThread) {
  Workers workers(1);
  {
    const ThreadStartFailure none;
    EXPECT_FALSE(wait_for(enters(workers)));
  }
  EXPECT_TRUE(wait_for(enters(workers)));
  const ThreadStartFailure none;
  EXPECT_TRUE(wait_for(enters(workers)));
}

TEST(Workers, MayAllWaitForWhatIsResumed) {
  Workers workers(1);
  int found = 0;
  EXPECT_TRUE(wait_for(wait_on(workers, found)));
  EXPECT_EQ(found, 7);
}

}  // namespace
}  // namespace partita
