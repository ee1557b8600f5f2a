// The threads of the process on which hooks make calls of lanes at the same time. Each slice of a sink has a thread for
// calls without them (carry_job.cc), so no hook depends on these.
#pragma once

#include <cstddef>

#include "base/mutex.h"

namespace partita::sinks {

// Callable from any thread.
class LaneThreads {
 public:
  static constexpr size_t kMost = 256;

  // Those that one hook has.
  class Share {
   public:
    explicit Share(LaneThreads& all) : all_(all) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    // False: as many as it has are left for others, or fewer. So however many a hook takes, another one gets some.
    bool take();
    void give_back();

   private:
    LaneThreads& all_;
    size_t taken_ = 0;  // guarded by the mutex of all
  };

  // Of the process.
  static LaneThreads& all();

 private:
  Mutex mutex_;
  size_t taken_ PARTITA_GUARDED_BY(mutex_) = 0;
};

}  // namespace partita::sinks
