// The newest records of keys: those that are queued, which lets a transaction start before the last one on the same
// keys is on the disk, and of the durable ones as many as there is room for, so that hot reads ask nobody else.
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

// A key's record at some time. Once it is in the table only its last members change.
struct CachedRecord {
  std::string key;
  std::optional<storage::Record> record;  // nothing: absent
  uint64_t hash = 0;                      // of the key
  uint64_t number = 0;                    // of the commit that wrote it, in the order of the queue
  // The number of the commit that wrote the key again while this was queued; 0: none did.
  mutable std::atomic<uint64_t> superseded_by{0};
  // While its commit is being queued: the queued write whose place it took. Of the thread that queues.
  mutable std::shared_ptr<const CachedRecord> replaced;
};

// For each key at most its newest record: queued (pending), or, while no write of the key is queued, durable. What is
// not here is in the store. Callable from any thread.
class RecordCache {
 public:
  explicit RecordCache(size_t durable_bytes) : shard_bytes_(durable_bytes / kShards) {}

  // Pending or durable. The caller holds the key's latch.
  std::shared_ptr<const CachedRecord> find(std::string_view key, uint64_t hash, bool& pending);

  // For readers, who see only what is durable. When nothing is found, whoever then reads the store may offer() what it
  // says with that ticket, which is good only for a key that was looked for not long ago: what is read once would only
  // push out what is read again.
  using Ticket = uint64_t;
  std::shared_ptr<const CachedRecord> find_durable(std::string_view key, uint64_t hash, Ticket& ticket);
  // Whether there is room for a value of that size, and the ticket is any good: if not, offer() keeps nothing.
  bool would_keep(size_t value_bytes, Ticket ticket) const { return ticket != kNoTicket && fits(value_bytes); }
  // Kept unless the key may have been written since the ticket was drawn.
  void offer(std::shared_ptr<const CachedRecord> read, Ticket ticket);

  // Pending from now on. The caller holds the key's latch. Precondition: its number is not less than that of the write
  // whose place it takes. Throws std::bad_alloc, and has done nothing then.
  void insert(std::shared_ptr<const CachedRecord> write);
  // Undoes the last insert() of its key, before its number is in use. Takes no memory.
  void take_back(const CachedRecord& write);
  // The write is durable, or it is lost. Either does nothing to a newer one that took its place.
  void settle(const std::shared_ptr<const CachedRecord>& write);
  void drop(const CachedRecord& write);
  // Forgets what is durable, for changes of the store that did not come through this table.
  void forget_durable();
  bool has_pending() const;

 private:
  static constexpr size_t kShards = 64;
  static constexpr size_t kRemembered = 1024;
  static constexpr Ticket kNoTicket = UINT64_MAX;
  struct CacheEntry {
    std::shared_ptr<const CachedRecord> newest;
    bool pending = false;
    // Neighbours in the order of their last use. Only of durable entries.
    CacheEntry* fresher = nullptr;
    CacheEntry* staler = nullptr;
  };
  struct HashedKey {
    mutable std::string_view key;  // of the entry's record; of an equal one when that is replaced
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
    Ticket changes PARTITA_GUARDED_BY(mutex) = 0;  // counts what makes tickets void
    // Of keys that were looked for and not found, eight bits of the hash, by ten others.
    std::array<uint8_t, kRemembered> missed PARTITA_GUARDED_BY(mutex){};
    CacheEntry* freshest PARTITA_GUARDED_BY(mutex) = nullptr;
    CacheEntry* stalest PARTITA_GUARDED_BY(mutex) = nullptr;
  };
  using Entries = decltype(Shard::entries);

  // Whether the key was looked for before; from now on it was.
  static bool missed_before(Shard& shard, uint64_t hash) PARTITA_REQUIRES(shard.mutex);
  static void link(Shard& shard, CacheEntry& entry) PARTITA_REQUIRES(shard.mutex);
  static void unlink(Shard& shard, CacheEntry& entry) PARTITA_REQUIRES(shard.mutex);
  // Ends a pending entry whose write is not kept.
  static void erase_pending(Shard& shard, Entries::iterator at) PARTITA_REQUIRES(shard.mutex);
  static void replace(Entries::iterator at, std::shared_ptr<const CachedRecord> write);
  void keep(Shard& shard, CacheEntry& entry) const PARTITA_REQUIRES(shard.mutex);
  // A shard holds at least so many entries, or it would hold nothing but its last one.
  static constexpr size_t kLeastKept = 8;
  bool fits(size_t bytes) const { return bytes <= shard_bytes_ / kLeastKept; }
  Shard& shard_of(uint64_t hash) { return shards_[hash % kShards]; }

  const size_t shard_bytes_;
  std::array<Shard, kShards> shards_;
};

}  // namespace partita::rocks
