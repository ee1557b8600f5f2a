// The logical partitions of a table or of a global index: adjacent ranges that together hold every row.
//
// A *position* is the key of a stored row without the ids of its table and index (docs/formats/keys.md): the hash of
// the partition key (8 bytes), the partition values, the sort values. Positions are ordered by their bytes, as rows
// are. A boundary may be shorter: a hash alone stands before its item collection.
//
// Partitions split and never merge, as DynamoDB's do: a table whose throughput was lowered keeps them. They are
// forgotten when the server stops.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "throttle/partition.h"

namespace partita::throttle {

// How many partitions DynamoDB would use for that throughput and size: enough to serve the reads and the writes
// together, and one for each 10 GB, whichever is more ("Partitions and data distribution", developer guide). At
// least 1.
int64_t wanted_partitions(int64_t read_units, int64_t write_units, int64_t bytes);

// The first 8 bytes as a number. Precondition: there are as many.
inline uint64_t hash_of(std::string_view position) {
  uint64_t hash;
  std::memcpy(&hash, position.data(), sizeof hash);
  return std::endian::native == std::endian::little ? std::byteswap(hash) : hash;
}
// The boundary before all rows with that hash.
std::string before_hash(uint64_t hash);

// Any thread may call find() at any time. All else is called by one thread at a time.
class PartitionMap {
 public:
  // Enough for the 80,000 write units of an account ("Quotas in Amazon DynamoDB", developer guide), and 48 splits.
  static constexpr size_t kMost = 128;
  static constexpr size_t kMostBoundaryBytes = 128;

  // `count` ranges of equal width, at least 1 and at most kMost, whose buckets are full at `now_ns`.
  PartitionMap(int64_t count, int64_t now_ns);
  // With these boundaries, ascending; the first is empty.
  PartitionMap(std::vector<std::string> boundaries, int64_t now_ns);

  // The partition of a position, valid as long as the map. Takes no lock and never waits. Precondition: 8 bytes.
  Partition& find(std::string_view position) const {
    const uint64_t hash = hash_of(position);
    while (true) {
      const uint64_t version = version_.load(std::memory_order_acquire);
      const Snapshot& snapshot = snapshots_[version % 2];
      // Most maps are of ranges of equal width.
      const size_t at = (hash >> 32) * snapshot.size.load(std::memory_order_acquire) >> 32;
      Partition* found = snapshot.partitions[at].load(std::memory_order_acquire);
      if (hash <= snapshot.hashes[at].load(std::memory_order_acquire) ||
          hash >= snapshot.hashes[at + 1].load(std::memory_order_acquire)) [[unlikely]] {
        found = find_by_search(snapshot, hash, position);
      }
      if (version_.load(std::memory_order_relaxed) == version) [[likely]]
        return *found;
    }
  }

  size_t size() const { return owned_.size(); }
  // In order of their ranges.
  Partition& at(size_t index) const { return *owned_[index]; }
  // The end of the range; empty: it has none.
  std::string_view high(size_t index) const;

  // Splits a partition at boundaries inside its range, in ascending order. It keeps the lowest part. False, and nothing
  // changed: there would be more than kMost.
  bool split(size_t index, std::vector<std::string> cuts);
  // Halves the widest ranges until none is wider than 1/`count` of all hashes, or there are kMost. True: some were.
  bool grow(int64_t count);

 private:
  // What readers search: `version_` says which of the two is complete. The other is written.
  struct Snapshot {
    std::atomic<size_t> size = 0;
    std::array<std::atomic<uint64_t>, kMost + 1> hashes{};  // of the boundaries, and the highest behind them
    std::array<std::atomic<Partition*>, kMost> partitions{};
  };

  static Partition* find_by_search(const Snapshot& snapshot, uint64_t hash, std::string_view position);
  // Where a boundary with the hash exists; `last`: the last of them.
  static Partition* find_inside(const Snapshot& snapshot, size_t last, uint64_t hash, std::string_view position);
  void publish();

  std::vector<std::unique_ptr<Partition>> owned_;
  std::atomic<uint64_t> version_ = 0;
  std::array<Snapshot, 2> snapshots_;
};

}  // namespace partita::throttle
