#include "throttle/heat.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace partita::throttle {

namespace {

constexpr double kSmoothedSeconds = 10;
constexpr double kWarmLoad = 0.5;
// Of an allocation, beside its bytes.
constexpr size_t kAllocation = 16;

double load_of(const HeatRates& rates) {
  return std::max(rates.read_units / kPartitionReadUnits, rates.write_units / kPartitionWriteUnits);
}

void smooth(double& rate, double sample, double seconds) {
  rate += (sample - rate) * seconds / (seconds + kSmoothedSeconds);
}

}  // namespace

Heat::Heat(Collections collections, int64_t partitions, int64_t now_ns)
    : collections_(collections), map_(partitions, now_ns), reviewed_ns_(now_ns) {
  align_watches();
}

Heat::Heat(Collections collections, std::vector<std::string> boundaries, int64_t now_ns)
    : collections_(collections), map_(std::move(boundaries), now_ns), reviewed_ns_(now_ns) {
  align_watches();
}

void Heat::measure(const Partition& partition, Watch& watch, int64_t now_ns, double seconds) {
  const auto since_last = [&](AccessKind kind) {
    int64_t& last = watch.consumed[kind == AccessKind::kWrite];
    const int64_t now = partition.consumed(kind);
    return static_cast<double>(now - std::exchange(last, now)) / 2;
  };
  const uint64_t refused = partition.refused();
  const uint64_t refusals = refused - std::exchange(watch.refused, refused);
  smooth(watch.rates.read_units, since_last(AccessKind::kRead) / seconds, seconds);
  smooth(watch.rates.write_units, since_last(AccessKind::kWrite) / seconds, seconds);
  smooth(watch.rates.refusals, static_cast<double>(refusals) / seconds, seconds);
  if (refusals > 0) {
    watch.refused_ns = now_ns;
    if (watch.refusing) return;
    watch.refusing = true;
    watch.refusing_since_ns = now_ns;
    watch.obstacle = Obstacle::kTooEarly;
  } else if (watch.refusing && now_ns - watch.refused_ns > kCalmAfterNs) {
    watch.refusing = false;
    watch.obstacle = Obstacle::kNone;
  }
}

bool Heat::review(int64_t now_ns) {
  const MutexLock lock(mutex_);
  if (now_ns <= reviewed_ns_) return false;
  const double seconds = static_cast<double>(now_ns - std::exchange(reviewed_ns_, now_ns)) / 1e9;
  for (size_t i = 0; i < map_.size(); ++i) measure(map_.at(i), watches_[i], now_ns, seconds);
  bool changed = false;
  for (Slot& slot : slots_) {
    if (slot.of != nullptr && now_ns - slot.window_began_ns >= kWindowNs) changed |= close_window(slot, now_ns);
  }
  assign_sketches(now_ns);
  return changed;
}

bool Heat::close_window(Slot& slot, int64_t now_ns) {
  const Sketch::Seen seen = slot.sketch.seen();
  slot.sketch.restart(slot.of);
  slot.window_began_ns = now_ns;
  ++slot.windows;
  if (auto quartiles = quartiles_of(seen)) slot.drift.add(*std::move(quartiles));
  if (!seen.keys.empty()) {
    const auto heaviest = std::ranges::max_element(seen.keys, {}, &HeavyKeys::Count::weight);
    slot.hottest = heaviest->key;
    slot.hottest_share = static_cast<double>(heaviest->weight) / static_cast<double>(seen.total);
  }
  const size_t index = index_of(slot.of);
  Watch& watch = watches_[index];
  if (!watch.refusing || slot.windows < kWindows || now_ns - watch.refusing_since_ns < kSplitAfterNs) return false;
  SplitPoint point = split_point(seen, map_.at(index).low(), map_.high(index), collections_, slot.drift.moving());
  watch.obstacle = point.obstacle;
  if (point.cuts.empty()) return false;
  if (!map_.split(index, std::move(point.cuts))) {
    watch.obstacle = Obstacle::kFull;
    return false;
  }
  watch.refusing = false;
  watch.rates = {};
  start(slot, nullptr, now_ns);
  align_watches();
  return true;
}

void Heat::start(Slot& slot, Partition* partition, int64_t now_ns) {
  if (slot.of != nullptr) slot.of->set_sketch(nullptr);
  slot.sketch.restart(partition);
  slot.of = partition;
  slot.window_began_ns = now_ns;
  slot.windows = 0;
  slot.drift = Drift();
  slot.hottest.clear();
  slot.hottest_share = 0;
  if (partition != nullptr) partition->set_sketch(&slot.sketch);
}

Heat::Rank Heat::rank_of(const Watch& watch) {
  if (!watch.refusing) return load_of(watch.rates) >= kWarmLoad ? Rank::kWarm : Rank::kCalm;
  const bool judged = watch.obstacle != Obstacle::kTooEarly && watch.obstacle != Obstacle::kTooFewSamples;
  return judged ? Rank::kJudged : Rank::kRefusing;
}

std::pair<Heat::Rank, double> Heat::order_of(const Watch& watch) {
  return {rank_of(watch), load_of(watch.rates) + watch.rates.refusals};
}

// A free slot if there is memory for it, else that of the partition with the lowest rank below `rank`.
Heat::Slot* Heat::slot_for(Rank rank) {
  Slot* free = nullptr;
  Slot* lowest = nullptr;
  Rank lowest_rank = rank;
  for (Slot& slot : slots_) {
    if (slot.of == nullptr) {
      free = &slot;
      continue;
    }
    const Rank held = rank_of(watches_[index_of(slot.of)]);
    if (held >= lowest_rank) continue;
    lowest = &slot;
    lowest_rank = held;
  }
  const bool fits = partition_bytes() + (slots_used() + 1) * Sketch::kMostBytes <= kMostBytes;
  return free != nullptr && fits ? free : lowest;
}

void Heat::assign_sketches(int64_t now_ns) {
  for (Slot& slot : slots_) {
    if (slot.of == nullptr) continue;
    if (rank_of(watches_[index_of(slot.of)]) == Rank::kCalm) start(slot, nullptr, now_ns);
  }
  while (true) {
    size_t best = map_.size();
    for (size_t i = 0; i < map_.size(); ++i) {
      if (map_.at(i).sketch() != nullptr || rank_of(watches_[i]) == Rank::kCalm) continue;
      if (best == map_.size() || order_of(watches_[i]) > order_of(watches_[best])) best = i;
    }
    if (best == map_.size()) return;
    Slot* const slot = slot_for(rank_of(watches_[best]));
    if (slot == nullptr) return;
    start(*slot, &map_.at(best), now_ns);
  }
}

bool Heat::grow(int64_t partitions) {
  const MutexLock lock(mutex_);
  if (!map_.grow(partitions)) return false;
  align_watches();
  for (Slot& slot : slots_) {
    if (partition_bytes() + slots_used() * Sketch::kMostBytes > kMostBytes) start(slot, nullptr, reviewed_ns_);
  }
  return true;
}

int64_t Heat::consumed(AccessKind kind) const {
  const MutexLock lock(mutex_);
  int64_t half_units = 0;
  for (size_t i = 0; i < map_.size(); ++i) half_units += map_.at(i).consumed(kind);
  return half_units;
}

size_t Heat::index_of(const Partition* partition) const {
  const auto found = std::ranges::find(watches_, partition, &Watch::of);
  PARTITA_CHECK(found != watches_.end());
  return static_cast<size_t>(found - watches_.begin());
}

// After a change of the map, whose partitions keep their order.
void Heat::align_watches() {
  std::vector<Watch> aligned(map_.size());
  auto old = watches_.begin();
  for (size_t i = 0; i < map_.size(); ++i) {
    if (old != watches_.end() && old->of == &map_.at(i)) aligned[i] = *old++;
    aligned[i].of = &map_.at(i);
  }
  watches_ = std::move(aligned);
}

HeatReport Heat::report() const {
  const MutexLock lock(mutex_);
  HeatReport report;
  for (size_t i = 0; i < map_.size(); ++i) {
    const Watch& watch = watches_[i];
    HeatRange range;
    range.low = map_.at(i).low();
    range.high = map_.high(i);
    range.rates = watch.rates;
    range.load = load_of(watch.rates);
    range.refused = map_.at(i).refused();
    range.obstacle = watch.obstacle;
    const auto slot = std::ranges::find(slots_, watch.of, &Slot::of);
    if (slot != slots_.end()) {
      range.hottest = slot->hottest;
      range.hottest_share = slot->hottest_share;
    }
    report.ranges.push_back(std::move(range));
  }
  return report;
}

size_t Heat::partition_bytes() const {
  size_t bytes =
      sizeof(Heat) + watches_.capacity() * sizeof(Watch) + map_.size() * (sizeof(Partition) + 2 * kAllocation);
  bytes += kMostBytes / 16;  // the map's vector, and what sketches keep when they are not used
  for (const Watch& watch : watches_) {
    if (watch.of->low().capacity() > std::string().capacity()) bytes += watch.of->low().capacity() + kAllocation;
  }
  return bytes;
}

size_t Heat::bytes() const {
  const MutexLock lock(mutex_);
  return partition_bytes() + slots_used() * Sketch::kMostBytes;
}

size_t Heat::slots_used() const {
  size_t used = 0;
  for (const Slot& slot : slots_) used += slot.of != nullptr ? 1 : 0;
  return used;
}

}  // namespace partita::throttle
