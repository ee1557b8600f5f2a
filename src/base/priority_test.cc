#include "base/priority.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <thread>

namespace partita {
namespace {

// The beginning of the kernel's sched_attr, whose header does not go with the library's.
struct Attributes {
  uint32_t size;
  uint32_t sched_policy;
  uint64_t sched_flags;
  int32_t sched_nice;
  uint32_t sched_priority;
  uint64_t sched_runtime;
  uint64_t sched_deadline;
  uint64_t sched_period;
};

Attributes attributes() {
  Attributes found{};
  EXPECT_EQ(syscall(SYS_sched_getattr, 0, &found, sizeof found, 0), 0);
  return found;
}

template <typename F>
void on_a_thread(F body) {
  std::thread(body).join();
}

bool has_turns() {
  utsname system{};
  int major = 0;
  int minor = 0;
  EXPECT_EQ(uname(&system), 0);
  EXPECT_EQ(std::sscanf(system.release, "%d.%d", &major, &minor), 2);
  return major > 6 || (major == 6 && minor >= 12);
}

TEST(Priority, WhoGoesFirstHasShortTurnsAndStaysAsNice) {
  on_a_thread([] {
    const Attributes before = attributes();
    raise_thread_priority();
    const Attributes after = attributes();
    EXPECT_EQ(after.sched_nice, before.sched_nice);
    EXPECT_EQ(after.sched_policy, before.sched_policy);
    EXPECT_EQ(after.sched_runtime, has_turns() ? 100'000 : before.sched_runtime);
  });
}

TEST(Priority, WhoGoesBehindIsNicerThanTheFirstThreadOnce) {
  on_a_thread([] {
    const int first = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
    lower_thread_priority(3);
    EXPECT_EQ(attributes().sched_nice, std::min(19, first + 3));
    lower_thread_priority(3);
    EXPECT_EQ(attributes().sched_nice, std::min(19, first + 3));
    lower_thread_priority(100);
    EXPECT_EQ(attributes().sched_nice, 19);
  });
}

TEST(Priority, WhoGoesBehindHasNoneOfTheShortTurnsOfWhoBeganIt) {
  on_a_thread([] {
    const Attributes usual = attributes();
    raise_thread_priority();
    on_a_thread([&] {
      lower_thread_priority(1);
      EXPECT_EQ(attributes().sched_runtime, usual.sched_runtime);
    });
  });
}

TEST(Priority, OthersStayAsTheyAre) {
  const Attributes before = attributes();
  on_a_thread([] { lower_thread_priority(5); });
  on_a_thread([] { raise_thread_priority(); });
  EXPECT_EQ(attributes().sched_nice, before.sched_nice);
  EXPECT_EQ(attributes().sched_runtime, before.sched_runtime);
}

}  // namespace
}  // namespace partita
