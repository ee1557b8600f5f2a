#include "throttle/split_point.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "throttle/partition_map.h"

namespace partita::throttle {

namespace {

using Counts = std::span<const HeavyKeys::Count>;

constexpr uint64_t kFewestSamples = 16;

uint64_t sum_of(Counts counts) {
  uint64_t weight = 0;
  for (const HeavyKeys::Count& count : counts) weight += count.weight;
  return weight;
}

// The key at which that share of the weight is reached. Precondition: there are counts.
const std::string& quantile(Counts counts, double share) {
  const double wanted = share * static_cast<double>(sum_of(counts));
  uint64_t weight = 0;
  for (const HeavyKeys::Count& count : counts) {
    weight += count.weight;
    if (static_cast<double>(weight) >= wanted) return count.key;
  }
  return counts.back().key;
}

// The item collection with more than half of the weight; empty if there is none.
Counts main_collection(const Sketch::Seen& seen) {
  const Counts all(seen.keys);
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin + 1;
    while (end < all.size() && hash_of(all[end].key) == hash_of(all[begin].key)) ++end;
    if (2 * sum_of(all.subspan(begin, end - begin)) > seen.total) return all.subspan(begin, end - begin);
    begin = end;
  }
  return {};
}

// The first boundary behind the item; nullopt: there is none.
std::optional<std::string> behind(const std::string& item) {
  return item.size() < Sketch::kMostKeyBytes ? item + '\0' : prefix_end(item);
}

// Collects boundaries and leaves out those outside the range.
class Cuts {
 public:
  Cuts(std::string_view low, std::string_view high) : low_(low), high_(high) {}

  void add(std::optional<std::string> cut) {
    if (cut && *cut > low_ && (high_.empty() || *cut < high_)) cuts_.push_back(std::move(*cut));
  }
  bool empty() const { return cuts_.empty(); }
  std::vector<std::string> take() && {
    std::ranges::sort(cuts_);
    const auto same = std::ranges::unique(cuts_);
    cuts_.erase(same.begin(), same.end());
    return std::move(cuts_);
  }

 private:
  const std::string_view low_;
  const std::string_view high_;
  std::vector<std::string> cuts_;
};

// Before which count the weight is divided most evenly; 0: nowhere.
size_t balanced(Counts counts, bool between_collections) {
  const uint64_t total = sum_of(counts);
  size_t best = 0;
  uint64_t best_heavier = UINT64_MAX;
  uint64_t below = 0;
  for (size_t i = 1; i < counts.size(); ++i) {
    below += counts[i - 1].weight;
    const bool inside = hash_of(counts[i - 1].key) == hash_of(counts[i].key);
    const uint64_t heavier = std::max(below, total - below);
    if ((inside && between_collections) || heavier >= best_heavier) continue;
    best = i;
    best_heavier = heavier;
  }
  return best;
}

void divide_collection(Counts counts, uint64_t total, Cuts& cuts) {
  const auto heaviest = std::ranges::max_element(counts, {}, &HeavyKeys::Count::weight);
  if (2 * (heaviest->weight - heaviest->error) > total) {
    cuts.add(heaviest->key);
    cuts.add(behind(heaviest->key));
  } else if (const size_t at = balanced(counts, false); at > 0) {
    cuts.add(counts[at].key);
  }
}

Obstacle why_whole(Collections collections, bool moving) {
  if (collections == Collections::kSingleItems) return Obstacle::kSingleItem;
  if (collections == Collections::kIndivisible) return Obstacle::kLocalIndex;
  return moving ? Obstacle::kMovingKeys : Obstacle::kSingleItem;
}

}  // namespace

std::optional<Quartiles> quartiles_of(const Sketch::Seen& seen) {
  if (seen.samples < kFewestSamples) return std::nullopt;
  Quartiles quartiles;
  Counts counts = main_collection(seen);
  if (counts.empty()) {
    counts = seen.keys;
  } else {
    quartiles.collection = hash_of(counts.front().key);
  }
  quartiles.lower = quantile(counts, 0.25);
  quartiles.median = quantile(counts, 0.5);
  quartiles.upper = quantile(counts, 0.75);
  return quartiles;
}

void Drift::add(Quartiles window) {
  if (windows_ > 0 && window.collection != first_.collection) windows_ = 0;
  if (windows_++ == 0) {
    rose_ = fell_ = true;
    last_ = window.median;
    first_ = std::move(window);
    return;
  }
  rose_ = rose_ && window.median >= last_;
  fell_ = fell_ && window.median <= last_;
  last_ = std::move(window.median);
}

bool Drift::moving() const {
  return windows_ > 1 && ((rose_ && last_ > first_.upper) || (fell_ && last_ < first_.lower));
}

SplitPoint split_point(const Sketch::Seen& seen, std::string_view low, std::string_view high, Collections collections,
                       bool moving) {
  if (seen.samples < kFewestSamples) return {{}, Obstacle::kTooFewSamples};
  const bool divisible = collections == Collections::kDivisible && !moving;
  Cuts cuts(low, high);
  const Counts hot = main_collection(seen);
  if (hot.empty()) {
    const size_t at = balanced(seen.keys, !divisible);
    const HeavyKeys::Count& above = seen.keys[at];
    const bool inside = hash_of(seen.keys[at - 1].key) == hash_of(above.key);
    cuts.add(inside ? above.key : before_hash(hash_of(above.key)));
    return {std::move(cuts).take(), Obstacle::kNone};
  }
  const uint64_t hash = hash_of(hot.front().key);
  cuts.add(before_hash(hash));
  if (hash != UINT64_MAX) cuts.add(before_hash(hash + 1));
  // If only one item of a collection was seen, the collection first becomes a range of its own.
  if (divisible && (cuts.empty() || hot.size() > 1)) divide_collection(hot, seen.total, cuts);
  if (cuts.empty()) return {{}, why_whole(collections, moving)};
  return {std::move(cuts).take(), Obstacle::kNone};
}

}  // namespace partita::throttle
