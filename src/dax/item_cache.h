// The item cache: items as they are stored, whole, by primary key; and that there is no item of a key.
//
//   std::optional<CachedItem> found = cache.find(key, now_ns);
//   if (!found) {
//     ItemCache::Fill fill = cache.begin_fill(key);  // before the store is read
//     ...
//     fill.fill(item, now_ns);
//   }
//   ItemCache::Write write = cache.begin_write(key);  // before the store is changed
//   ...
//   write.wrote(item, now_ns);
//
// The cache never keeps the older of two writes that passed it, nor what a read saw before such a write:
// - a read fills the cache only if no write of the key was in progress since the read began;
// - the order of writes of one key that overlap in time is known to the store alone, so each of them drops the entry;
// - after a write of unknown outcome no read fills the key until its next write of known outcome, or for five minutes:
//   the store may still show the old item and carry the write out afterwards.
// Writes that do not pass the cache (over HTTP, by other servers) are not seen until an entry is too old.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/cache_times.h"
#include "base/mutex.h"
#include "dax/lru.h"

namespace partita::dax {

// Called for each request, on any thread.
using CacheTimesOf = std::function<api::CacheTimes()>;

struct StoredItem {
  std::string bytes;     // as model::encode_item() writes it
  size_t item_size = 0;  // as DynamoDB counts it
};
// Null: there is no item of that key.
using CachedItem = std::shared_ptr<const StoredItem>;

// Callable from any thread. Times are of the monotonic clock. It outlives what its functions return.
class ItemCache {
  struct Shard;
  struct Flight;

  // Holds a flight, perhaps none.
  class Hold {
   public:
    Hold() = default;
    Hold(Shard& shard, Flight& flight) : shard_(&shard), flight_(&flight) {}
    Hold(Hold&& other) noexcept
        : shard_(std::exchange(other.shard_, nullptr)), flight_(std::exchange(other.flight_, nullptr)) {}
    Hold& operator=(Hold&&) = delete;

   protected:
    Shard* shard_ = nullptr;
    Flight* flight_ = nullptr;
  };

 public:
  // Of a read of the store.
  class Fill : private Hold {
   public:
    using Hold::Hold;
    Fill(Fill&&) = default;
    Fill& operator=(Fill&&) = delete;
    ~Fill();
    // Once: what the store has. Does nothing if a write of the key was in progress meanwhile.
    void fill(CachedItem item, int64_t now_ns);

   private:
    friend class ItemCache;
    uint64_t generation_ = 0;
  };

  // Of a write to the store. One of the functions is called once; else its outcome is unknown.
  class Write : private Hold {
   public:
    using Hold::Hold;
    Write(Write&&) = default;
    Write& operator=(Write&&) = delete;
    ~Write() { end(Outcome::kUnsure, nullptr, 0); }
    void wrote(CachedItem item, int64_t now_ns) { end(Outcome::kWritten, std::move(item), now_ns); }
    // The same, but what the item is now is not known.
    void wrote() { end(Outcome::kChanged, nullptr, 0); }
    // The store was not changed.
    void failed() { end(Outcome::kNothing, nullptr, 0); }

   private:
    enum class Outcome : uint8_t { kWritten, kChanged, kNothing, kUnsure };
    void end(Outcome outcome, CachedItem item, int64_t now_ns);
  };

  ItemCache(size_t max_bytes, CacheTimesOf times);
  ~ItemCache();
  ItemCache(const ItemCache&) = delete;
  ItemCache& operator=(const ItemCache&) = delete;

  // The bytes of a key are those of the item's storage::Key. Nothing: it is not cached.
  std::optional<CachedItem> find(const CacheKey& key, int64_t now_ns);
  Fill begin_fill(const CacheKey& key);
  Write begin_write(const CacheKey& key);

  CacheCounts counts() const;

 private:
  Shard& shard_of(const CacheKey& key) const;

  const CacheTimesOf times_;
  const size_t shard_count_;
  const std::unique_ptr<Shard[]> shards_;
};

}  // namespace partita::dax
