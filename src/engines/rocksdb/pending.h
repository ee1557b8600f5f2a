// What lets a transaction start before the last one on the same keys is on the disk.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "storage/engine.h"

namespace partita::rocks {

// A write that is queued and not yet durable.
struct PendingWrite {
  std::string key;
  std::optional<storage::Record> record;  // nothing: erased
  uint32_t stripe = 0;                    // of the key's latch
  uint64_t number = 0;                    // of its commit, in the order of the queue
};

// The newest pending write of each key. Whoever inserts or finds holds the key's latch; removing needs none.
class PendingTable {
 public:
  std::shared_ptr<const PendingWrite> find(std::string_view key, uint32_t stripe) const;
  // Precondition: its number is greater than that of the write whose place it takes.
  void insert(std::shared_ptr<const PendingWrite> write);
  // Does nothing when a newer write took its place.
  void remove(const PendingWrite& write);
  bool empty() const;

 private:
  static constexpr size_t kShards = 64;
  struct Shard {
    mutable std::mutex mutex;
    // The keys are views of the writes' own keys.
    std::unordered_map<std::string_view, std::shared_ptr<const PendingWrite>> writes;
  };

  std::array<Shard, kShards> shards_;
};

}  // namespace partita::rocks
