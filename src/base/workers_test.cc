#include "base/workers.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

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

}  // namespace
}  // namespace partita
