#include "base/workers.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "base/task.h"

namespace partita {
namespace {

Task<int> niceness_on(Workers& workers) {
  co_await workers.enter();
  co_return getpriority(PRIO_PROCESS, 0);
}

TEST(Workers, StepBackFromWhereTheirProcessStands) {
  int found = 0;
  int own = 0;
  std::thread([&] {
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 2);
    own = getpriority(PRIO_PROCESS, 0);
    Workers workers(1, 3);
    found = wait_for(niceness_on(workers));
  }).join();
  EXPECT_EQ(found, std::min(own + 3, 19));
}

}  // namespace
}  // namespace partita
