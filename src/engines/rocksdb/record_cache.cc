#include "engines/rocksdb/record_cache.h"

#include <algorithm>

#include "base/check.h"

namespace partita::rocks {

namespace {

// What an entry takes beside its bytes.
constexpr size_t kOverheadBytes = 256;

size_t bytes_of(const CachedRecord& newest) {
  return kOverheadBytes + newest.key.capacity() + (newest.record ? newest.record->value.capacity() : 0);
}

}  // namespace

bool RecordCache::missed_before(Shard& shard, uint64_t hash) {
  const auto mark = static_cast<uint8_t>(hash >> 56);
  return std::exchange(shard.missed[hash / kShards % kRemembered], mark) == mark;
}

void RecordCache::link(Shard& shard, CacheEntry& entry) {
  entry.fresher = nullptr;
  entry.staler = shard.freshest;
  (shard.freshest != nullptr ? shard.freshest->fresher : shard.stalest) = &entry;
  shard.freshest = &entry;
}

void RecordCache::unlink(Shard& shard, CacheEntry& entry) {
  (entry.fresher != nullptr ? entry.fresher->staler : shard.freshest) = entry.staler;
  (entry.staler != nullptr ? entry.staler->fresher : shard.stalest) = entry.fresher;
}

// Makes a pending entry durable, and room for it.
void RecordCache::keep(Shard& shard, CacheEntry& entry) const {
  entry.pending = false;
  link(shard, entry);
  shard.bytes += bytes_of(*entry.newest);
  while (shard.bytes > shard_bytes_) {
    CacheEntry& stalest = *shard.stalest;
    PARTITA_CHECK(!stalest.pending);
    const std::shared_ptr<const CachedRecord> evicted = stalest.newest;
    shard.bytes -= bytes_of(*evicted);
    unlink(shard, stalest);
    shard.entries.erase({evicted->key, evicted->hash});
  }
}

std::shared_ptr<const CachedRecord> RecordCache::find(std::string_view key, uint64_t hash, bool& pending) {
  Shard& shard = shard_of(hash);
  const MutexLock lock(shard.mutex);
  const auto at = shard.entries.find({key, hash});
  pending = at != shard.entries.end() && at->second.pending;
  return at == shard.entries.end() ? nullptr : at->second.newest;
}

std::shared_ptr<const CachedRecord> RecordCache::find_durable(std::string_view key, uint64_t hash, Ticket& ticket) {
  Shard& shard = shard_of(hash);
  const MutexLock lock(shard.mutex);
  const auto at = shard.entries.find({key, hash});
  ticket = shard.changes;
  if (at == shard.entries.end()) {
    if (!missed_before(shard, hash)) ticket = kNoTicket;
    return nullptr;
  }
  // Its write may be in the store already or not yet: only the store knows.
  if (at->second.pending) return ticket = kNoTicket, nullptr;
  unlink(shard, at->second);
  link(shard, at->second);
  return at->second.newest;
}

void RecordCache::offer(std::shared_ptr<const CachedRecord> read, Ticket ticket) {
  if (!would_keep(bytes_of(*read), ticket)) return;
  Shard& shard = shard_of(read->hash);
  const MutexLock lock(shard.mutex);
  if (shard.changes != ticket) return;
  const HashedKey key{read->key, read->hash};
  const auto [at, added] = shard.entries.try_emplace(key);
  if (!added) return;
  at->second.newest = std::move(read);
  keep(shard, at->second);
}

void RecordCache::erase_pending(Shard& shard, Entries::iterator at) {
  --shard.pending;
  ++shard.changes;
  shard.entries.erase(at);
}

void RecordCache::replace(Entries::iterator at, std::shared_ptr<const CachedRecord> write) {
  at->first.key = write->key;
  at->second.newest = std::move(write);
}

void RecordCache::insert(std::shared_ptr<const CachedRecord> write) {
  Shard& shard = shard_of(write->hash);
  const MutexLock lock(shard.mutex);
  const auto [at, added] = shard.entries.try_emplace({write->key, write->hash});
  CacheEntry& entry = at->second;
  if (added) {
    entry.newest = std::move(write);
  } else {
    // One transaction may write a key twice.
    PARTITA_CHECK(!entry.pending || entry.newest->number <= write->number);
    if (entry.pending) {
      entry.newest->superseded_by.store(write->number, std::memory_order_relaxed);
      write->replaced = entry.newest;
    } else {
      unlink(shard, entry);
      shard.bytes -= bytes_of(*entry.newest);
    }
    replace(at, std::move(write));
  }
  if (!std::exchange(entry.pending, true)) ++shard.pending;
}

void RecordCache::take_back(const CachedRecord& write) {
  Shard& shard = shard_of(write.hash);
  const MutexLock lock(shard.mutex);
  const auto at = shard.entries.find({write.key, write.hash});
  PARTITA_CHECK(at != shard.entries.end() && at->second.pending && at->second.newest.get() == &write);
  if (std::shared_ptr<const CachedRecord> older = std::move(write.replaced)) {
    older->superseded_by.store(0, std::memory_order_relaxed);
    replace(at, std::move(older));
  } else {
    erase_pending(shard, at);
  }
}

void RecordCache::settle(const std::shared_ptr<const CachedRecord>& write) {
  Shard& shard = shard_of(write->hash);
  const MutexLock lock(shard.mutex);
  const auto at = shard.entries.find({write->key, write->hash});
  if (at == shard.entries.end()) return;
  PARTITA_CHECK(!at->second.pending || at->second.newest->number >= write->number);
  if (at->second.newest != write) return;
  PARTITA_CHECK(at->second.pending);
  if (!write->record || !fits(bytes_of(*write))) return erase_pending(shard, at);
  --shard.pending;
  ++shard.changes;
  keep(shard, at->second);
}

void RecordCache::drop(const CachedRecord& write) {
  Shard& shard = shard_of(write.hash);
  const MutexLock lock(shard.mutex);
  const auto at = shard.entries.find({write.key, write.hash});
  if (at == shard.entries.end() || at->second.newest.get() != &write) return;
  PARTITA_CHECK(at->second.pending);
  erase_pending(shard, at);
}

void RecordCache::forget_durable() {
  for (Shard& shard : shards_) {
    const MutexLock lock(shard.mutex);
    ++shard.changes;
    std::erase_if(shard.entries, [](const auto& one) { return !one.second.pending; });
    shard.bytes = 0;
    shard.freshest = shard.stalest = nullptr;
  }
}

bool RecordCache::has_pending() const {
  return std::ranges::any_of(shards_, [](const Shard& shard) {
    const MutexLock lock(shard.mutex);
    return shard.pending > 0;
  });
}

}  // namespace partita::rocks
