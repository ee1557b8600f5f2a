// The newest records by key: all queued ones, so that a transaction can start before the previous one on the same keys
// is durable, and as many durable ones as there is room for, so that hot reads need not ask RocksDB.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "storage/engine.h"

namespace partita::rocks {

// One version of a key's record. Once it is in the cache, only its last two members change.
struct CachedRecord {
  std::string key;
  std::optional<storage::Record> record;  // nothing: erased or absent
  uint64_t hash = 0;                      // of the key
  uint64_t number = 0;                    // of the commit that wrote it, in queue order
  // The number of the commit that wrote the key again while this was queued; 0: none.
  mutable std::atomic<uint64_t> superseded_by{0};
  // While its commit is being queued: the queued write that it replaced. Only for the thread that queues.
  mutable std::shared_ptr<const CachedRecord> replaced;
};

// At most the newest record of each key: pending (queued), or, while no write of the key is queued, durable. All other
// records are in the store. Callable from any thread.
class RecordCache {
 public:
  explicit RecordCache(size_t durable_bytes) : shard_bytes_(durable_bytes / kShards) {}

  // The newest record, pending or durable; null if the key is not cached. The caller holds the key's latch.
  std::shared_ptr<const CachedRecord> find(std::string_view key, uint64_t hash, bool& pending);

  // For readers, which see only durable records. If the result is null, the caller may read the store and offer() the
  // record with that ticket. The ticket is valid only for keys that were looked up recently before, so that records
  // that are read once do not evict those that are read often.
  using Ticket = uint64_t;
  std::shared_ptr<const CachedRecord> find_durable(std::string_view key, uint64_t hash, Ticket& ticket);
  // Whether offer() may keep a value of that size with this ticket.
  bool would_keep(size_t value_bytes, Ticket ticket) const { return ticket != kNoTicket && fits(value_bytes); }
  // Caches the record unless the key may have been written since the ticket was drawn.
  void offer(std::shared_ptr<const CachedRecord> read, Ticket ticket);

  // Makes the write pending. The caller holds the key's latch. Precondition: its number is not less than that of the
  // write that it replaces. Throws std::bad_alloc without effect.
  void insert(std::shared_ptr<const CachedRecord> write);
  // Undoes the last insert() of its key, before its number is used. Does not allocate.
  void take_back(const CachedRecord& write);
  // settle(): the write is durable. drop(): it is lost. Neither affects a newer write that replaced it.
  void settle(const std::shared_ptr<const CachedRecord>& write);
  void drop(const CachedRecord& write);
  // Forgets all durable records, after changes of the store that bypassed this cache.
  void forget_durable();
  bool has_pending() const;

 private:
  static constexpr size_t kShards = 64;
  static constexpr size_t kRemembered = 1024;
  static constexpr Ticket kNoTicket = UINT64_MAX;
  struct CacheEntry {
    std::shared_ptr<const CachedRecord> newest;
    bool pending = false;
    // The list of durable entries in order of their last use.
    CacheEntry* fresher = nullptr;
    CacheEntry* staler = nullptr;
  };
  struct HashedKey {
    mutable std::string_view key;  // in the entry's record
    uint64_t hash;
    bool operator==(const HashedKey& other) const { return key == other.key; }
  };
  struct KeyHash {
    size_t operator()(const HashedKey& key) const { return key.hash; }
  };
  struct Shard {
    mutable Mutex mutex;
    std::unordered_map<HashedKey, CacheEntry, KeyHash> entries PARTITA_GUARDED_BY(mutex);
    size_t pending PARTITA_GUARDED_BY(mutex) = 0;  // entries
    size_t bytes PARTITA_GUARDED_BY(mutex) = 0;    // of durable entries
    Ticket changes PARTITA_GUARDED_BY(mutex) = 0;  // counts changes that invalidate tickets
    // Keys that were looked up and not found: eight bits of the hash, indexed by ten other bits.
    std::array<uint8_t, kRemembered> missed PARTITA_GUARDED_BY(mutex){};
    CacheEntry* freshest PARTITA_GUARDED_BY(mutex) = nullptr;
    CacheEntry* stalest PARTITA_GUARDED_BY(mutex) = nullptr;
  };
  using Entries = decltype(Shard::entries);

  // Whether the key was looked up recently; records the lookup.
  static bool missed_before(Shard& shard, uint64_t hash) PARTITA_REQUIRES(shard.mutex);
  static void link(Shard& shard, CacheEntry& entry) PARTITA_REQUIRES(shard.mutex);
  static void unlink(Shard& shard, CacheEntry& entry) PARTITA_REQUIRES(shard.mutex);
  // Removes a pending entry.
  static void erase_pending(Shard& shard, Entries::iterator at) PARTITA_REQUIRES(shard.mutex);
  static void replace(Entries::iterator at, std::shared_ptr<const CachedRecord> write);
  void keep(Shard& shard, CacheEntry& entry) const PARTITA_REQUIRES(shard.mutex);
  // A record larger than this part of a shard's room is not cached.
  static constexpr size_t kLeastKept = 8;
  bool fits(size_t bytes) const { return bytes <= shard_bytes_ / kLeastKept; }
  Shard& shard_of(uint64_t hash) { return shards_[hash % kShards]; }

  const size_t shard_bytes_;
  std::array<Shard, kShards> shards_;
};

}  // namespace partita::rocks
