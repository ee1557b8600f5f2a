#include <linux/sched/types.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/priority.h"

namespace partita {

namespace {

constexpr uint64_t kShortestTurnNs = 100'000;  // the kernel's least
constexpr uint64_t kUsualTurn = 0;             // the kernel's choice

int niceness_of(pid_t thread) { return getpriority(PRIO_PROCESS, static_cast<id_t>(thread)); }

// Of this thread alone, as Linux has it. A thread of a real-time policy keeps it: there the kernel refuses.
void set(int niceness, uint64_t turn_ns) {
  constexpr uint64_t kKeepPolicy = 0x08;
  sched_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.sched_flags = kKeepPolicy;
  wanted.sched_nice = niceness;
  wanted.sched_runtime = turn_ns;
  syscall(SYS_sched_setattr, 0, &wanted, 0);
}

}  // namespace

void raise_thread_priority() { set(niceness_of(0), kShortestTurnNs); }

void lower_thread_priority(int niceness) {
  constexpr int kNicest = 19;
  set(std::min(kNicest, std::max(niceness_of(0), niceness_of(getpid()) + niceness)), kUsualTurn);
}

}  // namespace partita
