#include "engines/rocksdb/latches.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace partita::rocks {

namespace {

constexpr uint32_t kFree = 0;
constexpr uint32_t kHeld = 1;
constexpr uint32_t kContended = 2;

// A stripe is mostly held for a microsecond or two, which is less than going to sleep and coming back takes.
constexpr int kSpins = 64;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

bool Latches::try_lock(uint32_t stripe) {
  uint32_t expected = kFree;
  return words_[stripe].compare_exchange_strong(expected, kHeld, std::memory_order_acquire);
}

bool Latches::lock_or_queue(Held& held, uint32_t stripe) {
  Shard& shard = shards_[stripe % kShards];
  const MutexLock lock(shard.mutex);
  Queue& queue = shard.queue_of(stripe);
  if (words_[stripe].exchange(kContended, std::memory_order_acquire) == kFree) {
    PARTITA_CHECK(queue.first == nullptr);
    words_[stripe].store(kHeld, std::memory_order_relaxed);
    return true;
  }
  PARTITA_CHECK(!held.queued_);
  held.queued_ = true;
  held.next_ = nullptr;
  (queue.first == nullptr ? queue.first : queue.last->next_) = &held;
  queue.last = &held;
  return false;
}

bool Latches::advance(Held& held) {
  for (; held.got_ < held.wanted_.size(); ++held.got_) {
    if (!lock_or_queue(held, held.wanted_[held.got_])) return false;
  }
  return true;
}

Latches::Held& Latches::hand_over(uint32_t stripe) {
  Shard& shard = shards_[stripe % kShards];
  const MutexLock lock(shard.mutex);
  Queue& queue = shard.queue_of(stripe);
  Held* const next = queue.first;
  PARTITA_CHECK(words_[stripe].load(std::memory_order_relaxed) == kContended && next != nullptr);
  PARTITA_CHECK(next->queued_ && next->wanted_[next->got_] == stripe);
  next->queued_ = false;
  queue.first = next->next_;
  if (queue.first == nullptr) words_[stripe].store(kHeld, std::memory_order_relaxed);
  return *next;
}

void Latches::unlock(uint32_t stripe) {
  uint32_t expected = kHeld;
  if (words_[stripe].compare_exchange_strong(expected, kFree, std::memory_order_release)) return;
  Held& next = hand_over(stripe);
  ++next.got_;
  if (advance(next)) next.executor_->resume(next.handle_);
}

Latches::Held::Lock Latches::Held::lock(std::span<const uint32_t> stripes, Executor& executor) {
  PARTITA_CHECK(got_ == 0 && extra_.empty() && !queued_);
  PARTITA_CHECK(std::is_sorted(stripes.begin(), stripes.end(), std::less_equal<>()));
  wanted_ = stripes;
  executor_ = &executor;
  return {*this};
}

bool Latches::Held::take_free() {
  for (; got_ < wanted_.size(); ++got_) {
    for (int spins = 0; !latches_.try_lock(wanted_[got_]);) {
      if (++spins == kSpins) return false;
      pause();
    }
  }
  return true;
}

bool Latches::Held::wait(std::coroutine_handle<> handle) {
  handle_ = handle;
  return !latches_.advance(*this);
}

void Latches::Held::Lock::await_resume() const { PARTITA_CHECK(!held.queued_ && held.got_ == held.wanted_.size()); }

bool Latches::Held::try_extend(std::span<const uint32_t> stripes) {
  PARTITA_CHECK(got_ == wanted_.size() && extra_.empty());
  for (const uint32_t stripe : stripes) {
    if (std::binary_search(wanted_.begin(), wanted_.end(), stripe)) continue;
    extra_.push_back(stripe);  // first, because it may fail
    if (latches_.try_lock(stripe)) continue;
    extra_.pop_back();
    return false;
  }
  return true;
}

void Latches::Held::release() {
  PARTITA_CHECK(!queued_);
  for (const uint32_t stripe : wanted_.first(got_)) latches_.unlock(stripe);
  for (const uint32_t stripe : extra_) latches_.unlock(stripe);
  got_ = 0;
  wanted_ = {};
  extra_.clear();
}

}  // namespace partita::rocks
