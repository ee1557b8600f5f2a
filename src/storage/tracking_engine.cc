#include "storage/tracking_engine.h"

#include <algorithm>
#include <utility>

#include "storage/range_cursor.h"

namespace partita::storage {

namespace {

// Beyond it, looking at everything costs no more than looking at each.
constexpr size_t kMostKeys = 50'000;
// Of one, and of all that one engine notes.
constexpr size_t kMostBytes = size_t{8} << 20;
constexpr size_t kMostBytesOfAll = size_t{32} << 20;
constexpr size_t kNodeBytes = 80;

}  // namespace

void ChangeSet::add_key(const std::string& key) {
  if (all || !keys.insert(key).second) return;
  bytes += key.size() + kNodeBytes;
  if (keys.size() > kMostKeys || bytes > kMostBytes) set_all();
}

void ChangeSet::add_topic(const std::string& topic) {
  if (all || !topics.insert(topic).second) return;
  bytes += topic.size() + kNodeBytes;
  if (bytes > kMostBytes) set_all();
}

void ChangeSet::add(const ChangeSet& other) {
  if (other.all) set_all();
  for (const std::string& key : other.keys) add_key(key);
  for (const std::string& topic : other.topics) add_topic(topic);
}

void TrackingEngine::note(ChangeSet& changed) {
  const MutexLock lock(mutex_);
  notes_.push_back(&changed);
}

void TrackingEngine::note(const Changes& changes) {
  const MutexLock lock(mutex_);
  for (ChangeSet* const changed : notes_) {
    if (changed->all) continue;
    for (const Changes::Write& write : changes.writes()) changed->add_key(write.key.bytes);
    for (const Changes::Append& append : changes.appends()) changed->add_topic(append.topic);
  }
  bound();
}

void TrackingEngine::note_topic(const std::string& topic) {
  const MutexLock lock(mutex_);
  for (ChangeSet* const changed : notes_) changed->add_topic(topic);
  bound();
}

// The one that knows most is the oldest, as a rule, and takes longest to go back to anyway.
void TrackingEngine::bound() {
  size_t bytes = 0;
  for (const ChangeSet* const changed : notes_) bytes += changed->bytes;
  if (bytes > kMostBytesOfAll) (*std::ranges::max_element(notes_, {}, &ChangeSet::bytes))->set_all();
}

// Noted before it happens: what does not happen then is noted too much.
Task<Result<Outcome>> TrackingEngine::transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                               Version* version) {
  const Decide noting = [&](std::span<const Record* const> found, Changes& changes) {
    const Decision decision = decide(found, changes);
    if (decision == Decision::kCommit) note(changes);
    return decision;
  };
  co_return co_await base_.transact(std::move(keys), std::move(compare), noting, version);
}

// What is changed back is written again.
Task<Result<void>> TrackingEngine::erase_range(Range range) { return erase_rows(*this, std::move(range)); }

Task<Result<void>> TrackingEngine::trim_log(std::string topic, Position upto) {
  note_topic(topic);
  return base_.trim_log(std::move(topic), upto);
}

Task<Result<void>> TrackingEngine::forget_log(std::string topic) {
  note_topic(topic);
  return base_.forget_log(std::move(topic));
}

Task<Result<void>> TrackingEngine::restore_log(std::string topic, std::vector<LogEntry> entries, Position end) {
  note_topic(topic);
  return base_.restore_log(std::move(topic), std::move(entries), end);
}

}  // namespace partita::storage
