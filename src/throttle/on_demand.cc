#include "throttle/on_demand.h"

#include <cmath>
#include <utility>

namespace partita::throttle {

OnDemandLevel::OnDemandLevel(int64_t level, int64_t quota, int64_t now_ns)
    : quota_(static_cast<double>(quota)),
      level_(static_cast<double>(std::min(level, quota))),
      reviewed_ns_(now_ns),
      minute_began_ns_(now_ns) {}

void OnDemandLevel::review(int64_t consumed, int64_t now_ns) {
  if (now_ns <= reviewed_ns_) return;
  // What was known at the last review lets the level rise until now.
  const double wanted = std::min(2 * peak_, quota_);
  if (wanted > level_) {
    const auto doublings = static_cast<double>(now_ns - reviewed_ns_) / static_cast<double>(kDoublesNs);
    level_ = std::min(wanted, level_ * std::exp2(doublings));
  }
  reviewed_ns_ = now_ns;
  if (now_ns - minute_began_ns_ < kMinuteNs) return;
  const auto seconds = static_cast<double>(now_ns - std::exchange(minute_began_ns_, now_ns)) / 1e9;
  peak_ = std::max(peak_, static_cast<double>(consumed - std::exchange(minute_began_at_, consumed)) / seconds);
}

}  // namespace partita::throttle
