#include "engines/memory/memory_engine.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory_resource>
#include <new>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"
#include "engines/memory/record_index.h"
#include "storage/positions.h"

namespace partita {

namespace {

using namespace storage;

// What a record costs beside its bytes: a tree node, two strings and a place in a hash table.
constexpr uint64_t kRecordOverheadBytes = 160;
// The embedded store's: what fits here fits there.
constexpr Limits kLimits{.key_bytes = 65'535, .record_bytes = size_t{64} << 20, .transaction_bytes = size_t{256} << 20};

class MemoryEngine final : public Engine {
 public:
  Task<Result<std::vector<std::optional<Record>>>> read(std::span<const Key> keys) override;
  Task<Result<Page>> scan(Range range, Direction direction, size_t max_records, size_t max_bytes) override;
  Task<Result<Outcome>> transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                 Version* version) override;
  Task<Result<void>> erase_range(Range range) override;
  Task<Result<std::vector<LogEntry>>> read_log(std::string topic, Position after, size_t max_entries,
                                               size_t max_bytes) override;
  Task<Result<Position>> log_end(std::string topic) override;
  Task<Result<void>> trim_log(std::string topic, Position upto) override;
  Task<Result<void>> forget_log(std::string topic) override;
  Task<Result<std::vector<std::string>>> topics(std::string after, size_t most) override;
  Task<Result<void>> restore_log(std::string topic, std::vector<LogEntry> entries, Position end) override;
  bool has_room_for(const Position& end) const override { return position_number(end).has_value(); }
  Task<Result<uint64_t>> approximate_bytes(Range range) override;
  Limits limits() const override { return kLimits; }
  Result<void> health() const override { return {}; }

 private:
  using Records = RecordIndex::Records;
  struct Log {
    std::map<Position, std::string> entries;
    Position end{};
  };

  const Record* find(const Key& key) const PARTITA_REQUIRES_SHARED(mutex_);
  class Preparation;
  bool is_stale(const Compare& compare) const PARTITA_REQUIRES_SHARED(mutex_);
  Position next_position() PARTITA_REQUIRES(mutex_);
  Records::iterator make_place(std::string key) PARTITA_REQUIRES(mutex_);
  void erase(std::string_view key) PARTITA_REQUIRES(mutex_);
  void apply_one(Changes::Write& write, Version version) PARTITA_REQUIRES(mutex_);
  // clang does not know that the mutex of a Preparation's engine is this one.
  void apply(Changes& changes, Version version, std::pmr::memory_resource& memory)
      PARTITA_REQUIRES(mutex_) PARTITA_NO_THREAD_SAFETY_ANALYSIS;
  template <class Map>
  static auto bounds(Map& records, const Range& range) {
    const auto begin = records.lower_bound(range.begin);
    const auto end = range.end.empty() ? records.end() : records.lower_bound(std::max(range.begin, range.end));
    return std::pair(begin, end);
  }

  SharedMutex mutex_;
  Records records_ PARTITA_GUARDED_BY(mutex_);
  RecordIndex index_ PARTITA_GUARDED_BY(mutex_);  // of all of them
  std::map<std::string, Log, std::less<>> logs_ PARTITA_GUARDED_BY(mutex_);
  uint64_t last_version_ PARTITA_GUARDED_BY(mutex_) = 0;
  uint64_t last_position_ PARTITA_GUARDED_BY(mutex_) = 0;
};

Task<Result<std::vector<std::optional<Record>>>> MemoryEngine::read(std::span<const Key> keys) {
  std::vector<std::optional<Record>> found(keys.size());
  const ReaderLock lock(mutex_);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (const Record* const record = find(keys[i])) found[i] = *record;
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
  const ReaderLock lock(mutex_);
  const auto [begin, end] = bounds(std::as_const(records_), range);
  if (direction == Direction::kAscending) co_return fill_page(begin, end, max_records, max_bytes);
  co_return fill_page(std::make_reverse_iterator(end), std::make_reverse_iterator(begin), max_records, max_bytes);
}

const Record* MemoryEngine::find(const Key& key) const {
  const RecordIndex::Entry* const entry = index_.find(key.bytes);
  return entry == nullptr ? nullptr : &entry->second;
}

bool MemoryEngine::is_stale(const Compare& compare) const {
  const Record* const record = find(compare.key);
  return record == nullptr ? compare.version.has_value() : compare.version != record->version;
}

Position MemoryEngine::next_position() { return numbered_position(++last_position_); }

MemoryEngine::Records::iterator MemoryEngine::make_place(std::string key) {
  index_.make_room();
  const Records::iterator made = records_.try_emplace(std::move(key)).first;
  index_.insert(made);
  return made;
}

void MemoryEngine::erase(std::string_view key) { records_.erase(index_.erase(key)); }

// Most transactions change one record.
void MemoryEngine::apply_one(Changes::Write& write, Version version) {
  RecordIndex::Entry* const entry = index_.find(write.key.bytes);
  if (!write.value) {
    if (entry != nullptr) erase(write.key.bytes);
    return;
  }
  Record& record = entry == nullptr ? make_place(std::move(write.key.bytes))->second : entry->second;
  record = Record{*std::move(write.value), version};
}

// All that a transaction allocates, before any of it can be seen: without memory, nothing of it is left.
class MemoryEngine::Preparation {
 public:
  Preparation(MemoryEngine& engine, Changes& changes, std::pmr::memory_resource& memory) PARTITA_REQUIRES(engine.mutex_)
      : engine_(engine), changes_(changes), before_(engine.last_position_), places_(&memory), made_(&memory) {}
  ~Preparation() PARTITA_REQUIRES(engine_.mutex_) {
    if (!is_finished_) undo();
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  void prepare() PARTITA_REQUIRES(engine_.mutex_) {
    places_.reserve(changes_.writes().size());
    for (Changes::Write& write : changes_.writes()) {
      places_.push_back(write.value ? place_of(write.key) : find_place(write.key));
    }
    for (Changes::Append& append : changes_.appends()) {
      engine_.logs_[append.topic].entries.emplace(engine_.next_position(), std::move(append.entry));
    }
  }
  void finish(Version version) noexcept PARTITA_REQUIRES(engine_.mutex_) {
    for (size_t i = 0; i < places_.size(); ++i) {
      std::optional<std::string>& value = changes_.writes()[i].value;
      if (places_[i] == nullptr) continue;
      if (value) places_[i]->value = *std::move(value);
      places_[i]->version = value ? version : Version{};
    }
    for (const Changes::Write& write : changes_.writes()) {
      if (!write.value) erase_if_gone(write.key);
    }
    for (const Changes::Append& append : changes_.appends()) {
      Log& log = engine_.logs_.find(append.topic)->second;
      log.end = log.entries.rbegin()->first;
    }
    is_finished_ = true;
  }

 private:
  void undo() noexcept PARTITA_REQUIRES(engine_.mutex_) {
    for (const Records::iterator at : made_) {
      if (at != engine_.records_.end()) engine_.erase(at->first);
    }
    for (const Changes::Append& append : changes_.appends()) {
      const auto log = engine_.logs_.find(append.topic);
      if (log == engine_.logs_.end()) continue;
      auto& entries = log->second.entries;
      entries.erase(entries.upper_bound(numbered_position(before_)), entries.end());
      if (entries.empty() && log->second.end == Position{}) engine_.logs_.erase(log);
    }
    engine_.last_position_ = before_;
  }
  Record* find_place(const Key& key) PARTITA_REQUIRES(engine_.mutex_) {
    RecordIndex::Entry* const entry = engine_.index_.find(key.bytes);
    return entry == nullptr ? nullptr : &entry->second;
  }
  // Takes the key if there is no record yet.
  Record* place_of(Key& key) PARTITA_REQUIRES(engine_.mutex_) {
    if (Record* const place = find_place(key)) return place;
    made_.push_back(engine_.records_.end());
    made_.back() = engine_.make_place(std::move(key.bytes));
    return &made_.back()->second;
  }

  // A later write of the same transaction may have put it again.
  void erase_if_gone(const Key& key) noexcept PARTITA_REQUIRES(engine_.mutex_) {
    const Record* const place = find_place(key);
    if (place != nullptr && place->version == Version{}) engine_.erase(key.bytes);
  }

  MemoryEngine& engine_;
  Changes& changes_;
  bool is_finished_ = false;
  const uint64_t before_;
  std::pmr::vector<Record*> places_;  // of each write; null: there is nothing to delete
  std::pmr::vector<Records::iterator> made_;
};

void MemoryEngine::apply(Changes& changes, Version version, std::pmr::memory_resource& memory) {
  if (changes.writes().size() == 1 && changes.appends().empty()) return apply_one(changes.writes().front(), version);
  Preparation preparation(*this, changes, memory);
  preparation.prepare();
  preparation.finish(version);
}

Task<Result<Outcome>> MemoryEngine::transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                             Version* version) {
  PARTITA_CHECK(are_distinct(keys));
  PARTITA_CO_TRY_VOID(check_keys(kLimits, keys, compare));
  const WriterLock lock(mutex_);
  for (const Compare& one : compare) {
    if (is_stale(one)) co_return Outcome::kStale;
  }
  std::array<std::byte, 1024> room;  // for an ordinary transaction
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::vector<const Record*> found(&memory);
  found.reserve(keys.size());
  for (const Key& key : keys) found.push_back(find(key));
  Changes changes(&memory);
  if (decide(found, changes) == Decision::kRefuse) co_return Outcome::kRefused;
  PARTITA_CO_TRY_VOID(check_changes(kLimits, changes));
  const Version fresh{++last_version_};
  apply(changes, fresh, memory);
  if (version != nullptr) *version = fresh;
  co_return Outcome::kCommitted;
}

Task<Result<void>> MemoryEngine::erase_range(Range range) {
  const WriterLock lock(mutex_);
  const auto [begin, end] = bounds(records_, range);
  for (auto at = begin; at != end; ++at) index_.erase(at->first);
  records_.erase(begin, end);
  index_.shrink();
  co_return Result<void>();
}

Task<Result<std::vector<LogEntry>>> MemoryEngine::read_log(std::string topic, Position after, size_t max_entries,
                                                           size_t max_bytes) {
  std::vector<LogEntry> entries;
  size_t bytes = 0;
  const ReaderLock lock(mutex_);
  const auto log = logs_.find(topic);
  if (log == logs_.end()) co_return entries;
  auto next = log->second.entries.upper_bound(after);
  for (; next != log->second.entries.end() && entries.size() < max_entries; ++next) {
    if (!entries.empty() && bytes >= max_bytes) break;
    entries.push_back({next->first, next->second});
    bytes += next->second.size();
  }
  co_return entries;
}

Task<Result<Position>> MemoryEngine::log_end(std::string topic) {
  const ReaderLock lock(mutex_);
  const auto log = logs_.find(topic);
  co_return log == logs_.end() ? Position{} : log->second.end;
}

Task<Result<void>> MemoryEngine::trim_log(std::string topic, Position upto) {
  const WriterLock lock(mutex_);
  if (const auto log = logs_.find(topic); log != logs_.end()) {
    auto& entries = log->second.entries;
    entries.erase(entries.begin(), entries.upper_bound(upto));
  }
  co_return Result<void>();
}

Task<Result<void>> MemoryEngine::forget_log(std::string topic) {
  const WriterLock lock(mutex_);
  if (const auto log = logs_.find(topic); log != logs_.end()) logs_.erase(log);
  co_return Result<void>();
}

Task<Result<std::vector<std::string>>> MemoryEngine::topics(std::string after, size_t most) {
  std::vector<std::string> names;
  const ReaderLock lock(mutex_);
  for (auto next = logs_.upper_bound(after); next != logs_.end() && names.size() < most; ++next) {
    names.push_back(next->first);
  }
  co_return names;
}

Task<Result<void>> MemoryEngine::restore_log(std::string topic, std::vector<LogEntry> entries, Position end) {
  if (!has_room_for(end)) co_return no_room_for_position();
  const std::optional<uint64_t> last = position_number(end);
  const WriterLock lock(mutex_);
  Log& log = logs_[topic];
  for (LogEntry& one : entries) log.entries.emplace(one.position, std::move(one.entry));
  log.end = std::max(log.end, end);
  last_position_ = std::max(last_position_, *last);
  co_return Result<void>();
}

Task<Result<uint64_t>> MemoryEngine::approximate_bytes(Range range) {
  uint64_t bytes = 0;
  const ReaderLock lock(mutex_);
  const auto [begin, end] = bounds(std::as_const(records_), range);
  for (auto next = begin; next != end; ++next) {
    bytes += next->first.size() + next->second.value.size() + kRecordOverheadBytes;
  }
  co_return bytes;
}

}  // namespace

std::unique_ptr<storage::Engine> open_memory_engine() { return std::make_unique<MemoryEngine>(); }

}  // namespace partita
