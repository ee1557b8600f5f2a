#include "dax/item_cache.h"

#include <new>
#include <unordered_map>

#include "base/check.h"

namespace partita::dax {

namespace {

size_t heap_bytes(const CachedItem& item) {
  constexpr size_t kControl = 2 * sizeof(void*);
  return item == nullptr ? 0 : sizeof(StoredItem) + kControl + item->bytes.capacity() + 2 * kBlockBytes;
}

}  // namespace

// A key that reads or writes are in progress for.
struct ItemCache::Flight {
  explicit Flight(const CacheKey& of) : bytes(of.bytes), key(of) { key.bytes = bytes; }

  const std::string bytes;
  CacheKey key;  // of `bytes`
  uint32_t holders = 0;
  uint32_t writers = 0;     // among the holders
  uint64_t generation = 0;  // grows when a write begins and when it ends
  bool overlaps = false;    // two of the writes were in progress at a time
};

struct alignas(64) ItemCache::Shard {
  Flight& enter(const CacheKey& key) PARTITA_REQUIRES(mutex) {
    std::unique_ptr<Flight>* held = nullptr;
    if (const auto known = flights.find(key); known != flights.end()) {
      held = &known->second;
    } else {
      auto flight = std::make_unique<Flight>(key);
      const CacheKey own = flight->key;
      held = &flights.emplace(own, std::move(flight)).first->second;
    }
    ++(*held)->holders;
    return **held;
  }
  void leave(Flight& flight) PARTITA_REQUIRES(mutex) {
    if (--flight.holders == 0) {
      const CacheKey key = flight.key;  // the node's own key points into what it owns
      flights.erase(flights.find(key));
    }
  }
  // Without memory for it the entry is dropped: an older one must not stay.
  void put(const CacheKey& key, CachedItem item, int64_t now_ns) PARTITA_REQUIRES(mutex) {
    const size_t bytes = heap_bytes(item);
    try {
      items->put(key, std::move(item), bytes, now_ns);
    } catch (const std::bad_alloc&) {
      items->erase(key);
    }
  }

  void note_unsure(const CacheKey& key) noexcept PARTITA_REQUIRES(mutex) {
    try {
      if (unsure.size() < kMostUnsure) {
        unsure.insert_or_assign(key.hash, kNotRead);
        return;
      }
    } catch (const std::bad_alloc&) {
    }
    unsure.clear();
    all_unsure = kNotRead;
  }
  // Whether what a read has seen of the key may be replaced by an earlier write.
  bool is_unsure(const CacheKey& key, int64_t now_ns) PARTITA_REQUIRES(mutex) {
    if (all_unsure && is_over(*all_unsure, now_ns)) all_unsure.reset();
    const auto found = unsure.find(key.hash);
    if (found == unsure.end()) return all_unsure.has_value();
    if (!is_over(found->second, now_ns)) return true;
    unsure.erase(found);
    return all_unsure.has_value();
  }
  // The time counts from the first read on.
  static bool is_over(int64_t& since_ns, int64_t now_ns) {
    if (since_ns == kNotRead) since_ns = now_ns;
    return now_ns - since_ns >= api::CacheTimes().item_ttl_ns();
  }

  static constexpr size_t kMostUnsure = 1024;
  static constexpr int64_t kNotRead = -1;

  mutable Mutex mutex;
  std::optional<Lru<CachedItem>> items PARTITA_GUARDED_BY(mutex);
  // Hashes of keys whose last write has an unknown outcome, and since when reads have met them.
  std::unordered_map<uint64_t, int64_t> unsure PARTITA_GUARDED_BY(mutex);
  std::optional<int64_t> all_unsure PARTITA_GUARDED_BY(mutex);  // there were too many; the same of all keys
  std::unordered_map<CacheKey, std::unique_ptr<Flight>, CacheKey::Hash> flights PARTITA_GUARDED_BY(mutex);
};

ItemCache::ItemCache(size_t max_bytes, CacheTimesOf times)
    : times_(std::move(times)), shard_count_(shards_for(max_bytes)), shards_(std::make_unique<Shard[]>(shard_count_)) {
  for (size_t i = 0; i < shard_count_; ++i) {
    const MutexLock lock(shards_[i].mutex);
    shards_[i].items.emplace(max_bytes / shard_count_);
  }
}

ItemCache::~ItemCache() = default;

ItemCache::Shard& ItemCache::shard_of(const CacheKey& key) const { return shards_[(key.hash >> 32) % shard_count_]; }

std::optional<CachedItem> ItemCache::find(const CacheKey& key, int64_t now_ns) {
  const int64_t ttl_ns = times_().item_ttl_ns();
  Shard& shard = shard_of(key);
  const MutexLock lock(shard.mutex);
  const CachedItem* const found = shard.items->find(key, now_ns, ttl_ns);
  return found == nullptr ? std::nullopt : std::optional<CachedItem>(*found);
}

ItemCache::Fill ItemCache::begin_fill(const CacheKey& key) {
  Shard& shard = shard_of(key);
  const MutexLock lock(shard.mutex);
  Flight& flight = shard.enter(key);
  Fill fill(shard, flight);
  fill.generation_ = flight.generation;
  return fill;
}

ItemCache::Write ItemCache::begin_write(const CacheKey& key) {
  Shard& shard = shard_of(key);
  const MutexLock lock(shard.mutex);
  Flight& flight = shard.enter(key);
  ++flight.generation;
  ++flight.writers;
  flight.overlaps = flight.overlaps || flight.writers > 1;
  return {shard, flight};
}

ItemCache::Fill::~Fill() {
  if (flight_ == nullptr) return;
  const MutexLock lock(shard_->mutex);
  shard_->leave(*flight_);
}

void ItemCache::Fill::fill(CachedItem item, int64_t now_ns) {
  PARTITA_CHECK(flight_ != nullptr);
  const MutexLock lock(shard_->mutex);
  if (flight_->writers != 0 || flight_->generation != generation_) return;
  if (shard_->is_unsure(flight_->key, now_ns)) return;
  shard_->put(flight_->key, std::move(item), now_ns);
}

void ItemCache::Write::end(Outcome outcome, CachedItem item, int64_t now_ns) {
  if (flight_ == nullptr) return;
  Flight& flight = *std::exchange(flight_, nullptr);
  const MutexLock lock(shard_->mutex);
  ++flight.generation;
  --flight.writers;
  if (outcome == Outcome::kUnsure) {
    shard_->note_unsure(flight.key);
  } else if (outcome != Outcome::kNothing && !flight.overlaps) {
    shard_->unsure.erase(flight.key.hash);
  }
  if (flight.overlaps || outcome == Outcome::kUnsure || outcome == Outcome::kChanged) {
    shard_->items->erase(flight.key);
  } else if (outcome == Outcome::kWritten) {
    shard_->put(flight.key, std::move(item), now_ns);
  }
  if (flight.writers == 0) flight.overlaps = false;
  shard_->leave(flight);
}

CacheCounts ItemCache::counts() const {
  CacheCounts counts;
  for (size_t i = 0; i < shard_count_; ++i) {
    const MutexLock lock(shards_[i].mutex);
    counts += shards_[i].items->counts();
  }
  return counts;
}

}  // namespace partita::dax
