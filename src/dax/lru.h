// What both caches of DAX are made of: entries by key, and the least recently used leave first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/random.h"
#include "base/seeded_hash.h"

namespace partita::dax {

// Of this process: clients must not choose keys that meet in one bucket.
inline uint64_t cache_seed() {
  static const uint64_t seed = system_random().next();
  return seed;
}

// Of what a cache keeps. After a change of a table's description, or when the database was opened again (as by a
// rollback), no key is equal to an earlier one.
struct CacheKey {
  CacheKey(uint64_t of_database, uint32_t of_table, uint64_t of_revision, std::string_view its_bytes,
           uint8_t of_meaning = 0)
      : database(of_database),
        revision(of_revision),
        table(of_table),
        meaning(of_meaning),
        bytes(its_bytes),
        hash(seeded_hash64(its_bytes, cache_seed())) {
    constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
    hash ^= (((database * kOdd + revision) * kOdd + table) * kOdd + meaning) * kOdd;
  }
  bool operator==(const CacheKey&) const = default;

  uint64_t database;  // table::AttributeLists::number()
  uint64_t revision;  // of the table's description
  uint32_t table;     // its id
  uint8_t meaning;    // of the bytes, if they alone do not tell it
  std::string_view bytes;
  uint64_t hash;

  struct Hash {
    size_t operator()(const CacheKey& key) const noexcept { return key.hash; }
  };
};

// What a cache has done and holds.
struct CacheCounts {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t evictions = 0;  // of entries that made room for others
  size_t bytes = 0;        // about what the entries take from the heap
  size_t entries = 0;

  CacheCounts& operator+=(const CacheCounts& other) {
    hits += other.hits;
    misses += other.misses;
    evictions += other.evictions;
    bytes += other.bytes;
    entries += other.entries;
    return *this;
  }
};

// What the allocator adds to each block, about.
inline constexpr size_t kBlockBytes = 16;

// The number of shards of a cache of so many bytes: each has room for a large page.
inline size_t shards_for(size_t bytes) {
  constexpr size_t kLeastBytes = size_t{4} << 20;
  constexpr size_t kMost = 16;
  return bytes / kLeastBytes < 1 ? 1 : bytes / kLeastBytes > kMost ? kMost : bytes / kLeastBytes;
}

// For one thread at a time.
template <class Value>
class Lru {
 public:
  explicit Lru(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Null: there is no entry, or it is as old as `ttl_ns` (0: none is too old). Valid until the next call.
  const Value* find(const CacheKey& key, int64_t now_ns, int64_t ttl_ns) {
    const auto found = index_.find(key);
    if (found != index_.end() && ttl_ns != 0 && now_ns - found->second->stored_ns >= ttl_ns) {
      erase(found);
    } else if (found != index_.end()) {
      ++counts_.hits;
      entries_.splice(entries_.begin(), entries_, found->second);
      return &found->second->value;
    }
    ++counts_.misses;
    return nullptr;
  }

  // `value_bytes`: what the value takes from the heap. What is too large for the shard is not kept.
  void put(const CacheKey& key, Value value, size_t value_bytes, int64_t now_ns) {
    if (const auto old = index_.find(key); old != index_.end()) erase(old);
    const size_t bytes = kEntryBytes + key.bytes.size() + value_bytes;
    if (bytes > max_bytes_) return;
    Entries fresh;  // so that nothing stays of it if there is no memory for the index
    fresh.push_front({std::string(key.bytes), std::move(value), key, now_ns, bytes});
    Entry& entry = fresh.front();
    entry.key.bytes = entry.key_bytes;
    index_.emplace(entry.key, fresh.begin());
    entries_.splice(entries_.begin(), fresh);
    bytes_ += bytes;
    while (this->bytes() > max_bytes_ && !entries_.empty()) {
      erase(index_.find(entries_.back().key));
      ++counts_.evictions;
    }
  }

  void erase(const CacheKey& key) {
    if (const auto found = index_.find(key); found != index_.end()) erase(found);
  }

  size_t bytes() const { return bytes_ + index_.bucket_count() * sizeof(void*); }
  CacheCounts counts() const {
    CacheCounts counts = counts_;
    counts.bytes = bytes();
    counts.entries = entries_.size();
    return counts;
  }

 private:
  struct Entry {
    std::string key_bytes;
    Value value;
    CacheKey key;  // of `key_bytes`
    int64_t stored_ns;
    size_t bytes;
  };
  using Entries = std::list<Entry>;
  using Index = std::unordered_map<CacheKey, typename Entries::iterator, CacheKey::Hash>;

  // Two nodes and the key's bytes.
  static constexpr size_t kEntryBytes =
      sizeof(Entry) + 2 * sizeof(void*) + sizeof(typename Index::value_type) + sizeof(void*) + 3 * kBlockBytes;

  void erase(typename Index::iterator at) {
    const auto entry = at->second;
    bytes_ -= entry->bytes;
    index_.erase(at);
    entries_.erase(entry);
  }

  const size_t max_bytes_;
  Entries entries_;  // the most recently used one is first
  Index index_;
  size_t bytes_ = 0;  // of the entries
  CacheCounts counts_;
};

}  // namespace partita::dax
