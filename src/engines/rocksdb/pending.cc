#include "engines/rocksdb/pending.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace partita::rocks {

std::shared_ptr<const PendingWrite> PendingTable::find(std::string_view key, uint32_t stripe) const {
  const Shard& home = shards_[stripe % kShards];
  std::lock_guard lock(home.mutex);
  const auto at = home.writes.find(key);
  return at == home.writes.end() ? nullptr : at->second;
}

void PendingTable::insert(std::shared_ptr<const PendingWrite> write) {
  Shard& home = shards_[write->stripe % kShards];
  std::lock_guard lock(home.mutex);
  const std::string_view key = write->key;
  const auto [at, added] = home.writes.try_emplace(key, write);
  if (added) return;
  // One transaction may write a key twice.
  PARTITA_CHECK(at->second->number <= write->number);
  // The old entry's key is a view of the old write, so it goes with it.
  auto node = home.writes.extract(at);
  node.key() = key;
  node.mapped() = std::move(write);
  home.writes.insert(std::move(node));
}

void PendingTable::remove(const PendingWrite& write) {
  Shard& home = shards_[write.stripe % kShards];
  std::lock_guard lock(home.mutex);
  const auto at = home.writes.find(write.key);
  if (at == home.writes.end()) return;
  PARTITA_CHECK(at->second->number >= write.number);
  if (at->second.get() == &write) home.writes.erase(at);
}

bool PendingTable::empty() const {
  return std::ranges::all_of(shards_, [](const Shard& shard) {
    std::lock_guard lock(shard.mutex);
    return shard.writes.empty();
  });
}

}  // namespace partita::rocks
