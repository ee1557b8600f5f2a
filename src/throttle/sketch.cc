#include "throttle/sketch.h"

#include <algorithm>

namespace partita::throttle {

void Sketch::add(const Partition& of, std::string_view position, uint64_t weight) {
  if (weight == 0 || !mutex_.try_lock()) return;
  if (of_ == &of) {
    ++samples_;
    keys_.add(position.substr(0, kMostKeyBytes), weight);
  }
  mutex_.unlock();
}

void Sketch::restart(const Partition* of) {
  const MutexLock lock(mutex_);
  of_ = of;
  samples_ = 0;
  keys_.clear();
}

Sketch::Seen Sketch::seen() const {
  const MutexLock lock(mutex_);
  Seen seen{keys_.counts(), keys_.total(), samples_};
  std::ranges::sort(seen.keys, {}, &HeavyKeys::Count::key);
  return seen;
}

}  // namespace partita::throttle
