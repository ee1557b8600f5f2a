// What keeps transactions on the same keys apart, and lets the next one start before the last one is on the disk.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/engine.h"

namespace partita::rocks {

// Locks over stripes of the key space. Held for microseconds: from reading a transaction's records to queueing its
// writes. (A word each instead of a std::mutex: there are many, and one transaction may hold hundreds.)
class Latches {
 public:
  static constexpr uint32_t kStripes = 4096;
  static uint32_t stripe_of(std::string_view key);

  // The stripes that this thread holds; lets go at its end.
  class Held {
   public:
    explicit Held(Latches& latches) : latches_(latches) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held();

    // Waits for them all. Precondition: sorted, distinct, nothing held yet.
    void lock(std::span<const uint32_t> stripes);
    // Takes those of `stripes` that are not held, if that needs no waiting; then nothing but letting go may follow.
    // False: some could not be had. Precondition: distinct.
    bool try_extend(std::span<const uint32_t> stripes);

   private:
    Latches& latches_;
    std::vector<uint32_t> held_;
  };

 private:
  bool try_lock(uint32_t stripe);
  void lock(uint32_t stripe);
  void unlock(uint32_t stripe);

  std::array<std::atomic<uint32_t>, kStripes> words_{};  // 0 free, 1 held, 2 held and somebody waits
};

// A write that is queued and not yet durable.
struct PendingWrite {
  std::string key;
  std::optional<storage::Record> record;  // nothing: erased
};

// The newest pending write of each key. Whoever inserts or finds holds the key's latch; removing needs none.
class PendingTable {
 public:
  std::shared_ptr<const PendingWrite> find(std::string_view key) const;
  void insert(std::shared_ptr<const PendingWrite> write);
  // Does nothing when a newer write took its place.
  void remove(const PendingWrite& write);

 private:
  static constexpr size_t kShards = 64;
  struct Shard {
    mutable std::mutex mutex;
    // The keys are views of the writes' own keys.
    std::unordered_map<std::string_view, std::shared_ptr<const PendingWrite>> writes;
  };
  Shard& shard(std::string_view key) const { return shards_[Latches::stripe_of(key) % kShards]; }

  mutable std::array<Shard, kShards> shards_;
};

}  // namespace partita::rocks
