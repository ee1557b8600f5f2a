// The query cache: replies to Query and Scan by all parameters of the request. Writes do not change it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/reads.h"
#include "base/mutex.h"
#include "dax/item_cache.h"
#include "dax/lru.h"

namespace partita::dax {

// A reply, without what it consumed.
struct StoredPage {
  std::string items;         // one after the other, as model::encode_item() writes them
  std::vector<size_t> ends;  // of each, in `items`
  std::string last_key;      // the same form; empty: none
  uint64_t count = 0;
  uint64_t scanned = 0;
};
using CachedPage = std::shared_ptr<const StoredPage>;

CachedPage page_of(const api::RangeReply& reply);
// Its items point into the page, which it owns.
api::RangeReply reply_of(const CachedPage& page);

// Callable from any thread. Times are of the monotonic clock.
class QueryCache {
 public:
  QueryCache(size_t max_bytes, CacheTimesOf times);
  ~QueryCache();
  QueryCache(const QueryCache&) = delete;
  QueryCache& operator=(const QueryCache&) = delete;

  // Whether anything is cached now.
  bool is_on() const { return times_().query_ttl_ms != 0; }
  // The bytes of a key are all parameters of the request. Null: it is not cached.
  CachedPage find(const CacheKey& key, int64_t now_ns);
  // Unless the reply is too large for the cache.
  void put(const CacheKey& key, const api::RangeReply& reply, int64_t now_ns);

  CacheCounts counts() const;

 private:
  struct Shard;
  Shard& shard_of(const CacheKey& key) const;

  const CacheTimesOf times_;
  const size_t shard_count_;
  const size_t shard_bytes_;
  const std::unique_ptr<Shard[]> shards_;
};

}  // namespace partita::dax
