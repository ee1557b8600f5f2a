#include "engines/memory/memory_engine.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <utility>

#include "base/check.h"

namespace partita {

namespace {

using namespace storage;

// What a record costs beside its bytes: a tree node and two strings.
constexpr uint64_t kRecordOverheadBytes = 112;

class MemoryEngine final : public Engine {
 public:
  Task<Result<std::vector<std::optional<Record>>>> read(std::span<const Key> keys) override;
  Task<Result<Page>> scan(Range range, Direction direction, size_t max_records, size_t max_bytes) override;
  Task<Result<Decision>> transact(std::vector<Key> keys, Decide decide) override;
  Task<Result<void>> erase_range(Range range) override;
  Task<Result<std::vector<LogEntry>>> read_log(std::string topic, Position after, size_t max_entries) override;
  Task<Result<Position>> log_end(std::string topic) override;
  Task<Result<void>> trim_log(std::string topic, Position upto) override;
  Task<Result<uint64_t>> approximate_bytes(Range range) override;

 private:
  using Records = std::map<std::string, Record, std::less<>>;
  struct Log {
    std::map<Position, std::string> entries;
    Position end{};
  };

  void apply(Changes& changes);
  // The records of the range, for a caller that holds the lock.
  template <class Map>
  static auto bounds(Map& records, const Range& range) {
    const auto begin = records.lower_bound(range.begin);
    const auto end = range.end.empty() ? records.end() : records.lower_bound(std::max(range.begin, range.end));
    return std::pair(begin, end);
  }

  std::shared_mutex mutex_;
  Records records_;
  std::map<std::string, Log, std::less<>> logs_;
  uint64_t last_version_ = 0;
  uint64_t last_position_ = 0;
};

Task<Result<std::vector<std::optional<Record>>>> MemoryEngine::read(std::span<const Key> keys) {
  std::vector<std::optional<Record>> found(keys.size());
  std::shared_lock lock(mutex_);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (const auto at = records_.find(keys[i].bytes); at != records_.end()) found[i] = at->second;
  }
  co_return found;
}

template <class Iterator>
Page fill_page(Iterator next, Iterator end, size_t max_records, size_t max_bytes) {
  Page page;
  for (; next != end; ++next) {
    if (page.size() >= max_records || (!page.empty() && page.bytes() >= max_bytes)) {
      page.more = true;
      break;
    }
    page.append(next->first, next->second.value, next->second.version);
  }
  return page;
}

Task<Result<Page>> MemoryEngine::scan(Range range, Direction direction, size_t max_records, size_t max_bytes) {
  max_bytes = std::min(max_bytes, kMaxPageBytes);
  std::shared_lock lock(mutex_);
  const auto [begin, end] = bounds(std::as_const(records_), range);
  if (direction == Direction::kAscending) co_return fill_page(begin, end, max_records, max_bytes);
  co_return fill_page(std::make_reverse_iterator(end), std::make_reverse_iterator(begin), max_records, max_bytes);
}

void MemoryEngine::apply(Changes& changes) {
  for (Changes::Write& write : changes.writes()) {
    PARTITA_CHECK(write.key.bytes.size() <= kMaxKeyBytes);
    if (write.value) {
      records_.insert_or_assign(std::move(write.key.bytes), Record{std::move(*write.value), Version{++last_version_}});
    } else {
      records_.erase(write.key.bytes);
    }
  }
  for (Changes::Append& append : changes.appends()) {
    PARTITA_CHECK(append.topic.size() <= kMaxTopicBytes);
    Log& log = logs_[append.topic];
    log.end = Position{++last_position_};
    log.entries.emplace(log.end, std::move(append.entry));
  }
}

Task<Result<Decision>> MemoryEngine::transact(std::vector<Key> keys, Decide decide) {
  PARTITA_CHECK(keys.size() <= 1 || std::set<Key>(keys.begin(), keys.end()).size() == keys.size());
  std::unique_lock lock(mutex_);
  std::vector<const Record*> found;
  for (const Key& key : keys) {
    const auto at = records_.find(key.bytes);
    found.push_back(at == records_.end() ? nullptr : &at->second);
  }
  Changes changes;
  const Decision decision = decide(found, changes);
  if (decision == Decision::kCommit) apply(changes);
  co_return decision;
}

Task<Result<void>> MemoryEngine::erase_range(Range range) {
  std::unique_lock lock(mutex_);
  const auto [begin, end] = bounds(records_, range);
  records_.erase(begin, end);
  co_return Result<void>();
}

Task<Result<std::vector<LogEntry>>> MemoryEngine::read_log(std::string topic, Position after, size_t max_entries) {
  std::vector<LogEntry> entries;
  std::shared_lock lock(mutex_);
  const auto log = logs_.find(topic);
  if (log == logs_.end()) co_return entries;
  auto next = log->second.entries.upper_bound(after);
  for (; next != log->second.entries.end() && entries.size() < max_entries; ++next) {
    entries.push_back({next->first, next->second});
  }
  co_return entries;
}

Task<Result<Position>> MemoryEngine::log_end(std::string topic) {
  std::shared_lock lock(mutex_);
  const auto log = logs_.find(topic);
  co_return log == logs_.end() ? Position{} : log->second.end;
}

Task<Result<void>> MemoryEngine::trim_log(std::string topic, Position upto) {
  std::unique_lock lock(mutex_);
  if (const auto log = logs_.find(topic); log != logs_.end()) {
    auto& entries = log->second.entries;
    entries.erase(entries.begin(), entries.upper_bound(upto));
  }
  co_return Result<void>();
}

Task<Result<uint64_t>> MemoryEngine::approximate_bytes(Range range) {
  uint64_t bytes = 0;
  std::shared_lock lock(mutex_);
  const auto [begin, end] = bounds(std::as_const(records_), range);
  for (auto next = begin; next != end; ++next) {
    bytes += next->first.size() + next->second.value.size() + kRecordOverheadBytes;
  }
  co_return bytes;
}

}  // namespace

std::unique_ptr<storage::Engine> open_memory_engine() { return std::make_unique<MemoryEngine>(); }

}  // namespace partita
