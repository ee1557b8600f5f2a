#include "throttle/partition_map.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"

namespace partita::throttle {

namespace {

constexpr int64_t kPartitionBytes = 10LL << 30;
constexpr size_t kHashBytes = sizeof(uint64_t);

uint64_t boundary_hash(std::string_view boundary) { return boundary.empty() ? 0 : hash_of(boundary); }

}  // namespace

int64_t wanted_partitions(int64_t read_units, int64_t write_units, int64_t bytes) {
  const auto parts = [](int64_t whole, int64_t part) { return whole / part + (whole % part > 0 ? 1 : 0); };
  constexpr int64_t kReadsForWrite = kPartitionReadUnits / kPartitionWriteUnits;
  const int64_t rest = read_units % kPartitionReadUnits + kReadsForWrite * (write_units % kPartitionWriteUnits);
  const int64_t for_units =
      read_units / kPartitionReadUnits + write_units / kPartitionWriteUnits + parts(rest, kPartitionReadUnits);
  return std::max({int64_t{1}, for_units, parts(bytes, kPartitionBytes)});
}

std::string before_hash(uint64_t hash) {
  std::string boundary;
  append_u64(boundary, hash);
  return boundary;
}

PartitionMap::PartitionMap(int64_t count, int64_t now_ns) {
  const auto most = static_cast<uint64_t>(std::clamp(count, int64_t{1}, int64_t{kMost}));
  const Partition::Due full = Partition::due_at(now_ns - kPartitionSliceNs);
  owned_.push_back(std::make_unique<Partition>(std::string(), full));
  const uint64_t width = UINT64_MAX / most;
  for (uint64_t i = 1; i < most; ++i) owned_.push_back(std::make_unique<Partition>(before_hash(i * width), full));
  publish();
}

PartitionMap::PartitionMap(std::vector<std::string> boundaries, int64_t now_ns) {
  PARTITA_CHECK(!boundaries.empty() && boundaries.size() <= kMost && boundaries.front().empty());
  const Partition::Due full = Partition::due_at(now_ns - kPartitionSliceNs);
  for (std::string& low : boundaries) owned_.push_back(std::make_unique<Partition>(std::move(low), full));
  publish();
}

// Each element is stored with release and loaded with acquire. So a reader that met an element of the next snapshot
// also sees that its own version has passed.
void PartitionMap::publish() {
  const uint64_t next = version_.load(std::memory_order_relaxed) + 1;
  Snapshot& snapshot = snapshots_[next % 2];
  for (size_t i = 0; i < owned_.size(); ++i) {
    snapshot.hashes[i].store(boundary_hash(owned_[i]->low()), std::memory_order_release);
    snapshot.partitions[i].store(owned_[i].get(), std::memory_order_release);
  }
  snapshot.hashes[owned_.size()].store(UINT64_MAX, std::memory_order_release);
  snapshot.size.store(owned_.size(), std::memory_order_release);
  version_.store(next, std::memory_order_release);
}

Partition* PartitionMap::find_by_search(const Snapshot& snapshot, uint64_t hash, std::string_view position) {
  size_t at = 0;  // the last whose hash is not above
  for (size_t left = snapshot.size.load(std::memory_order_acquire); left > 1;) {
    const size_t half = left / 2;
    at += snapshot.hashes[at + half].load(std::memory_order_acquire) <= hash ? half : 0;
    left -= half;
  }
  if (snapshot.hashes[at].load(std::memory_order_acquire) == hash) return find_inside(snapshot, at, hash, position);
  return snapshot.partitions[at].load(std::memory_order_acquire);
}

Partition* PartitionMap::find_inside(const Snapshot& snapshot, size_t last, uint64_t hash, std::string_view position) {
  const auto at = [&](size_t i) { return snapshot.partitions[i].load(std::memory_order_acquire); };
  if (at(last)->low() <= position) return at(last);
  // The collection is divided. Below its first boundary is the partition before.
  size_t first = 0;
  for (size_t left = last; left > 1;) {
    const size_t half = left / 2;
    first += snapshot.hashes[first + half].load(std::memory_order_acquire) < hash ? half : 0;
    left -= half;
  }
  while (last - first > 1) {
    const size_t middle = first + (last - first) / 2;
    (at(middle)->low() <= position ? first : last) = middle;
  }
  return at(first);
}

std::string_view PartitionMap::high(size_t index) const {
  return index + 1 < owned_.size() ? std::string_view(owned_[index + 1]->low()) : std::string_view();
}

bool PartitionMap::split(size_t index, std::vector<std::string> cuts) {
  if (owned_.size() + cuts.size() > kMost) return false;
  std::vector<std::unique_ptr<Partition>> parts;
  std::string_view low = owned_[index]->low();
  for (std::string& cut : cuts) {
    PARTITA_CHECK(cut.size() >= kHashBytes && cut.size() <= kMostBoundaryBytes && cut > low);
    parts.push_back(std::make_unique<Partition>(std::move(cut), owned_[index]->due()));
    low = parts.back()->low();
  }
  PARTITA_CHECK(high(index).empty() || low < high(index));
  owned_.insert(owned_.begin() + static_cast<int64_t>(index) + 1, std::make_move_iterator(parts.begin()),
                std::make_move_iterator(parts.end()));
  publish();
  return true;
}

bool PartitionMap::grow(int64_t count) {
  const uint64_t widest = UINT64_MAX / static_cast<uint64_t>(std::clamp(count, int64_t{1}, int64_t{kMost}));
  const size_t before = owned_.size();
  while (owned_.size() < kMost) {
    size_t at = 0;
    uint64_t width = 0;
    for (size_t i = 0; i < owned_.size(); ++i) {
      const uint64_t end = high(i).empty() ? UINT64_MAX : boundary_hash(high(i));
      if (end - boundary_hash(owned_[i]->low()) <= width) continue;
      width = end - boundary_hash(owned_[i]->low());
      at = i;
    }
    // The rest of a division makes the last range a little wider than its share.
    if (width <= widest || width - widest <= kMost) break;
    PARTITA_CHECK(split(at, {before_hash(boundary_hash(owned_[at]->low()) + width / 2)}));
  }
  return owned_.size() != before;
}

}  // namespace partita::throttle
