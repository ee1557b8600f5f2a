#include "storage/tracked.h"

#include <utility>

#include "storage/walk.h"

namespace partita::storage {

namespace {

// Beyond it, looking at everything costs no more than looking at each.
constexpr size_t kMostKeys = 50'000;

void bound(Touched& touched) {
  if (touched.keys.size() > kMostKeys) touched.touch_all();
}

}  // namespace

void Touched::add(const Touched& other) {
  if (all) return;
  if (other.all) return touch_all();
  keys.insert(other.keys.begin(), other.keys.end());
  topics.insert(other.topics.begin(), other.topics.end());
  bound(*this);
}

void Tracked::note(Touched& touched) {
  const std::lock_guard lock(mutex_);
  notes_.push_back(&touched);
}

void Tracked::stop(Touched& touched) {
  const std::lock_guard lock(mutex_);
  std::erase(notes_, &touched);
}

void Tracked::note(const Changes& changes) {
  const std::lock_guard lock(mutex_);
  for (Touched* const touched : notes_) {
    if (touched->all) continue;
    for (const Changes::Write& write : changes.writes()) touched->keys.insert(write.key.bytes);
    for (const Changes::Append& append : changes.appends()) touched->topics.insert(append.topic);
    bound(*touched);
  }
}

void Tracked::note_topic(const std::string& topic) {
  const std::lock_guard lock(mutex_);
  for (Touched* const touched : notes_) {
    if (!touched->all) touched->topics.insert(topic);
  }
}

// Noted before it happens: what does not happen then is noted too much.
Task<Result<Outcome>> Tracked::transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                        Version* version) {
  const Decide noting = [&](std::span<const Record* const> found, Changes& changes) {
    const Decision decision = decide(found, changes);
    if (decision == Decision::kCommit) note(changes);
    return decision;
  };
  co_return co_await base_.transact(std::move(keys), std::move(compare), noting, version);
}

// What is changed back is written again.
Task<Result<void>> Tracked::erase_range(Range range) { return erase_rows(*this, std::move(range)); }

Task<Result<void>> Tracked::trim_log(std::string topic, Position upto) {
  note_topic(topic);
  return base_.trim_log(std::move(topic), upto);
}

Task<Result<void>> Tracked::forget_log(std::string topic) {
  note_topic(topic);
  return base_.forget_log(std::move(topic));
}

Task<Result<void>> Tracked::restore_log(std::string topic, std::vector<LogEntry> entries, Position end) {
  note_topic(topic);
  return base_.restore_log(std::move(topic), std::move(entries), end);
}

}  // namespace partita::storage
