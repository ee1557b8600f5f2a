#include "sinks/lane_threads.h"

#include "base/check.h"

namespace partita::sinks {

bool LaneThreads::Share::take() {
  const MutexLock lock(all_.mutex_);
  if (taken_ >= kMost - all_.taken_) return false;
  ++taken_;
  ++all_.taken_;
  return true;
}

void LaneThreads::Share::give_back() {
  const MutexLock lock(all_.mutex_);
  PARTITA_CHECK(taken_ > 0);
  --taken_;
  --all_.taken_;
}

LaneThreads& LaneThreads::all() {
  static LaneThreads threads;
  return threads;
}

}  // namespace partita::sinks
