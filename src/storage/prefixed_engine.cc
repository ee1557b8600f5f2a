#include "storage/prefixed_engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "storage/range_cursor.h"
#include "storage/ranges.h"

namespace partita::storage {

namespace {

// What a transaction writes is counted with the prefix by the engine, and without it here.
constexpr size_t kWritesAtOnce = 1'000;
constexpr size_t kTopicsAtOnce = 1'000;

Limits less(Limits limits, size_t prefix, size_t topic_prefix) {
  PARTITA_CHECK(limits.key_bytes > 2 * prefix && kMaxTopicBytes > topic_prefix);
  limits.key_bytes -= prefix;
  limits.transaction_bytes -= std::min(kWritesAtOnce * (prefix + topic_prefix), limits.transaction_bytes / 2);
  return limits;
}

}  // namespace

PrefixedEngine::PrefixedEngine(Engine& base, std::string prefix, std::string topic_prefix)
    : base_(base),
      prefix_(std::move(prefix)),
      topic_prefix_(std::move(topic_prefix)),
      limits_(less(base.limits(), prefix_.size(), topic_prefix_.size())) {}

void PrefixedEngine::enter(Key& key) const {
  key.bytes.insert(0, prefix_);
  key.place += static_cast<uint32_t>(prefix_.size());
}

Range PrefixedEngine::entered(Range range) const {
  range.begin.insert(0, prefix_);
  if (range.end.empty()) {
    range.end = end_of(prefix_);
  } else {
    range.end.insert(0, prefix_);
  }
  return range;
}

Result<void> PrefixedEngine::enter(Changes& changes) const {
  PARTITA_TRY_VOID(check_changes(limits_, changes));
  for (Changes::Write& write : changes.writes()) enter(write.key);
  for (Changes::Append& append : changes.appends()) append.topic.insert(0, topic_prefix_);
  return {};
}

Task<Result<std::vector<std::optional<Record>>>> PrefixedEngine::read(std::span<const Key> keys) {
  std::vector<Key> entered(keys.begin(), keys.end());
  for (Key& key : entered) enter(key);
  co_return co_await base_.read(entered);
}

Task<Result<Page>> PrefixedEngine::scan(Range range, Direction direction, size_t max_records, size_t max_bytes) {
  // No two rows have the same key, so there is a byte of one in every row but one.
  const size_t most_rows = std::min(max_records, std::min(max_bytes, kMaxPageBytes) + 1);
  const size_t room = kMaxPageBytes - std::min(max_bytes, kMaxPageBytes);
  const size_t more_bytes = most_rows > room / prefix_.size() ? room : most_rows * prefix_.size();
  auto scanned = co_await base_.scan(entered(std::move(range)), direction, max_records,
                                     std::min(max_bytes, kMaxPageBytes) + more_bytes);
  PARTITA_CO_TRY(const Page found, std::move(scanned));
  Page page;
  page.reserve(found.size(), found.bytes() - found.size() * prefix_.size());
  page.more = found.more;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!page.empty() && page.bytes() >= max_bytes) {
      page.more = true;
      break;
    }
    page.append(found[i].key.substr(prefix_.size()), found[i].value, found[i].version);
  }
  co_return page;
}

Task<Result<Outcome>> PrefixedEngine::transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                               Version* version) {
  PARTITA_CO_TRY_VOID(check_keys(limits_, keys, compare));
  for (Key& key : keys) enter(key);
  for (Compare& one : compare) enter(one.key);
  Result<void> fits;
  const Decide entering = [&](std::span<const Record* const> found, Changes& changes) {
    fits = Result<void>();
    if (decide(found, changes) == Decision::kRefuse) return Decision::kRefuse;
    fits = enter(changes);
    return fits.ok() ? Decision::kCommit : Decision::kRefuse;
  };
  auto outcome = co_await base_.transact(std::move(keys), std::move(compare), entering, version);
  if (outcome.ok() && *outcome == Outcome::kRefused && !fits.ok()) co_return std::move(fits).error();
  co_return outcome;
}

// A part that is dropped and started again writes the same keys.
Task<Result<void>> PrefixedEngine::erase_range(Range range) { return erase_rows(*this, std::move(range)); }

Task<Result<std::vector<LogEntry>>> PrefixedEngine::read_log(std::string topic, Position after, size_t max_entries,
                                                             size_t max_bytes) {
  return base_.read_log(topic_prefix_ + topic, after, max_entries, max_bytes);
}

Task<Result<Position>> PrefixedEngine::log_end(std::string topic) { return base_.log_end(topic_prefix_ + topic); }

Task<Result<void>> PrefixedEngine::trim_log(std::string topic, Position upto) {
  return base_.trim_log(topic_prefix_ + topic, upto);
}

Task<Result<void>> PrefixedEngine::forget_log(std::string topic) { return base_.forget_log(topic_prefix_ + topic); }

// The engine lists them in an order of its own, those of others among them.
Task<Result<std::vector<std::string>>> PrefixedEngine::topics(std::string after, size_t most) {
  std::vector<std::string> names;
  std::string last = after.empty() ? after : topic_prefix_ + after;
  while (names.size() < most) {
    auto listed = co_await base_.topics(last, kTopicsAtOnce);
    PARTITA_CO_TRY(const std::vector<std::string> topics, std::move(listed));
    if (topics.empty()) break;
    last = topics.back();
    for (const std::string& topic : topics) {
      const bool named = topic.starts_with(topic_prefix_) && topic.size() > topic_prefix_.size();
      if (named && names.size() < most) names.push_back(topic.substr(topic_prefix_.size()));
    }
  }
  co_return names;
}

Task<Result<void>> PrefixedEngine::restore_log(std::string topic, std::vector<LogEntry> entries, Position end) {
  return base_.restore_log(topic_prefix_ + topic, std::move(entries), end);
}

Task<Result<uint64_t>> PrefixedEngine::approximate_bytes(Range range) {
  return base_.approximate_bytes(entered(std::move(range)));
}

Task<Result<void>> forget_logs(Engine& engine, std::string prefix) {
  std::string last;
  for (;;) {
    auto listed = co_await engine.topics(last, kTopicsAtOnce);
    PARTITA_CO_TRY(const std::vector<std::string> topics, std::move(listed));
    if (topics.empty()) co_return Result<void>();
    last = topics.back();
    for (const std::string& topic : topics) {
      if (topic.starts_with(prefix)) PARTITA_CO_TRY_VOID(co_await engine.forget_log(topic));
    }
  }
}

}  // namespace partita::storage
