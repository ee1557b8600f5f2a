#include "dax/query_cache.h"

#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "model/item_codec.h"

namespace partita::dax {

namespace {

size_t heap_bytes(const StoredPage& page) {
  constexpr size_t kControl = 2 * sizeof(void*);
  return sizeof(StoredPage) + kControl + page.items.capacity() + page.ends.capacity() * sizeof(size_t) +
         page.last_key.capacity() + 4 * kBlockBytes;
}

void append(const api::FoundItem& item, std::string& out) {
  if (const auto* const stored = std::get_if<std::string>(&item)) {
    out += *stored;
  } else if (const auto* const view = std::get_if<std::string_view>(&item)) {
    out += *view;
  } else {
    out += model::encode_item(std::get<model::Item>(item));
  }
}

}  // namespace

CachedPage page_of(const api::RangeReply& reply) {
  auto page = std::make_shared<StoredPage>();
  page->ends.reserve(reply.items.size());
  for (const api::FoundItem& item : reply.items) {
    append(item, page->items);
    page->ends.push_back(page->items.size());
  }
  page->items.shrink_to_fit();
  if (reply.last_key) page->last_key = model::encode_item(*reply.last_key);
  page->count = reply.count;
  page->scanned = reply.scanned;
  return page;
}

api::RangeReply reply_of(const CachedPage& page) {
  api::RangeReply reply;
  reply.items.reserve(page->ends.size());
  size_t begin = 0;
  for (const size_t end : page->ends) {
    reply.items.emplace_back(std::string_view(page->items).substr(begin, end - begin));
    begin = end;
  }
  if (!page->last_key.empty()) {
    auto key = model::decode_item(page->last_key);
    PARTITA_CHECK(key.ok());
    reply.last_key = std::move(key).value();
  }
  reply.owners.push_back(page);
  reply.bytes = page->items.size();
  reply.count = page->count;
  reply.scanned = page->scanned;
  return reply;
}

struct alignas(64) QueryCache::Shard {
  mutable Mutex mutex;
  std::optional<Lru<CachedPage>> pages PARTITA_GUARDED_BY(mutex);
};

QueryCache::QueryCache(size_t max_bytes, CacheTimesOf times)
    : times_(std::move(times)),
      shard_count_(shards_for(max_bytes)),
      shard_bytes_(max_bytes / shard_count_),
      shards_(std::make_unique<Shard[]>(shard_count_)) {
  for (size_t i = 0; i < shard_count_; ++i) {
    const MutexLock lock(shards_[i].mutex);
    shards_[i].pages.emplace(shard_bytes_);
  }
}

QueryCache::~QueryCache() = default;

QueryCache::Shard& QueryCache::shard_of(const CacheKey& key) const { return shards_[(key.hash >> 32) % shard_count_]; }

CachedPage QueryCache::find(const CacheKey& key, int64_t now_ns) {
  const int64_t ttl_ns = times_().query_ttl_ns();
  if (ttl_ns == 0) return nullptr;
  Shard& shard = shard_of(key);
  const MutexLock lock(shard.mutex);
  const CachedPage* const found = shard.pages->find(key, now_ns, ttl_ns);
  return found == nullptr ? nullptr : *found;
}

void QueryCache::put(const CacheKey& key, const api::RangeReply& reply, int64_t now_ns) {
  if (!is_on() || reply.bytes > shard_bytes_) return;
  try {
    CachedPage page = page_of(reply);
    const size_t bytes = heap_bytes(*page);
    Shard& shard = shard_of(key);
    const MutexLock lock(shard.mutex);
    shard.pages->put(key, std::move(page), bytes, now_ns);
  } catch (const std::bad_alloc&) {
    return;  // the reply is not kept
  }
}

CacheCounts QueryCache::counts() const {
  CacheCounts counts;
  for (size_t i = 0; i < shard_count_; ++i) {
    const MutexLock lock(shards_[i].mutex);
    counts += shards_[i].pages->counts();
  }
  return counts;
}

}  // namespace partita::dax
