#include "engines/rocksdb/pending.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"

namespace partita::rocks {

namespace {

constexpr uint32_t kFree = 0;
constexpr uint32_t kHeld = 1;
constexpr uint32_t kContended = 2;

}  // namespace

uint32_t Latches::stripe_of(std::string_view key) { return static_cast<uint32_t>(hash64(key) % kStripes); }

bool Latches::try_lock(uint32_t stripe) {
  uint32_t expected = kFree;
  return words_[stripe].compare_exchange_strong(expected, kHeld, std::memory_order_acquire);
}

void Latches::lock(uint32_t stripe) {
  if (try_lock(stripe)) return;
  while (words_[stripe].exchange(kContended, std::memory_order_acquire) != kFree) words_[stripe].wait(kContended);
}

void Latches::unlock(uint32_t stripe) {
  if (words_[stripe].exchange(kFree, std::memory_order_release) == kContended) words_[stripe].notify_one();
}

Latches::Held::~Held() {
  for (const uint32_t stripe : held_) latches_.unlock(stripe);
}

void Latches::Held::lock(std::span<const uint32_t> stripes) {
  PARTITA_CHECK(held_.empty() && std::is_sorted(stripes.begin(), stripes.end()));
  held_.reserve(stripes.size());
  for (const uint32_t stripe : stripes) {
    latches_.lock(stripe);
    held_.push_back(stripe);
  }
}

bool Latches::Held::try_extend(std::span<const uint32_t> stripes) {
  const size_t locked = held_.size();
  held_.reserve(locked + stripes.size());
  for (const uint32_t stripe : stripes) {
    if (std::binary_search(held_.begin(), held_.begin() + static_cast<ptrdiff_t>(locked), stripe)) continue;
    if (!latches_.try_lock(stripe)) return false;
    held_.push_back(stripe);
  }
  return true;
}

std::shared_ptr<const PendingWrite> PendingTable::find(std::string_view key) const {
  const Shard& home = shard(key);
  std::lock_guard lock(home.mutex);
  const auto at = home.writes.find(key);
  return at == home.writes.end() ? nullptr : at->second;
}

void PendingTable::insert(std::shared_ptr<const PendingWrite> write) {
  Shard& home = shard(write->key);
  std::lock_guard lock(home.mutex);
  // Erased first: the old entry's key is a view of the old write.
  home.writes.erase(write->key);
  const std::string_view key = write->key;
  home.writes.emplace(key, std::move(write));
}

void PendingTable::remove(const PendingWrite& write) {
  Shard& home = shard(write.key);
  std::lock_guard lock(home.mutex);
  const auto at = home.writes.find(write.key);
  if (at != home.writes.end() && at->second.get() == &write) home.writes.erase(at);
}

}  // namespace partita::rocks
