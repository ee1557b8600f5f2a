#include "engines/foundationdb/store_operations.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"

namespace partita::foundationdb {

using namespace storage;

namespace {

std::string_view key_of(const FdbKeyValue& row) {
  return {reinterpret_cast<const char*>(row.key), static_cast<size_t>(row.key_size)};
}

std::string_view value_of(const FdbKeyValue& row) {
  return {reinterpret_cast<const char*>(row.value), static_cast<size_t>(row.value_size)};
}

std::string to_bytes(const Position& position) {
  return {reinterpret_cast<const char*>(position.bytes.data()), position.bytes.size()};
}

// Of a row that need not be there. False for bytes that no store writes.
bool take_position(std::optional<std::string_view> row, Position& position) {
  if (!row) return true;
  if (row->size() != position.bytes.size()) return false;
  std::ranges::copy(*row, position.bytes.begin());
  return true;
}

// A row more than is wanted most often says whether there is one behind.
size_t with_room(size_t bytes) { return bytes + bytes / 8 + 2'000; }

void go_behind(std::string_view key, Direction direction, Range& range) {
  if (direction == Direction::kAscending) {
    range.begin.assign(key).push_back('\0');
  } else {
    range.end.assign(key);
  }
}

}  // namespace

Task<int> StoreOperations::commit(TxnAttempt& attempt) const {
  const Future sent = attempt.commit();
  co_return co_await sent.done(fallback_);
}

Task<int> StoreOperations::read(TxnAttempt& attempt, std::span<const Key> keys,
                                std::vector<std::optional<Record>>& records) const {
  std::vector<Future> rows;
  rows.reserve(keys.size());
  for (const Key& key : keys) rows.push_back(attempt.get(names_.record(key.bytes)));
  std::vector<std::pair<size_t, RecordSlices>> large;
  for (size_t i = 0; i < rows.size(); ++i) {
    records[i].reset();
    const int code = co_await rows[i].done(fallback_);
    if (code != 0) co_return code;
    const std::optional<std::string_view> row = rows[i].value();
    if (!row) continue;
    const std::optional<RecordHeader> header = parse_record_header(*row);
    if (!header) co_return kDamaged;
    records[i].emplace(Record{std::string(header->value), header->version});
    if (header->sliced_bytes != 0) large.emplace_back(i, RecordSlices(attempt, names_, keys[i].bytes, *header));
  }
  for (auto& one : large) {
    const int code = co_await one.second.join(records[one.first]->value, fallback_);
    if (code != 0) co_return code;
  }
  co_return 0;
}

Task<int> StoreOperations::scan(TxnAttempt& attempt, const Range& range, Direction direction, Bounds bounds,
                                Page& page) const {
  page = Page();
  const int code = co_await scan_all(attempt, names_.records(range), direction, bounds, page);
  if (code != kErrorTooOld || page.empty()) co_return code;
  page.more = true;
  co_return 0;
}

Task<int> StoreOperations::scan_all(TxnAttempt& attempt, Range left, Direction direction, Bounds bounds,
                                    Page& page) const {
  for (;;) {
    const size_t bytes = bounds.bytes - std::min(bounds.bytes, page.bytes());
    const Future part =
        attempt.get_range(left, direction, bounds.count - page.size() + (bounds.count < SIZE_MAX), with_room(bytes));
    int code = co_await part.done(fallback_);
    if (code != 0) co_return code;
    const Future::Rows found = part.rows();
    code = co_await take_rows(attempt, found.rows, bounds, page);
    if (code != 0 || page.more || !found.more || found.rows.empty()) co_return code;
    go_behind(key_of(found.rows.back()), direction, left);
  }
}

Task<int> StoreOperations::take_rows(TxnAttempt& attempt, std::span<const FdbKeyValue> rows, Bounds bounds,
                                     Page& page) const {
  std::vector<RecordHeader> heads;
  std::vector<std::pair<size_t, RecordSlices>> large;
  size_t bytes = page.bytes();
  for (const FdbKeyValue& row : rows) {
    const size_t count = page.size() + heads.size();
    page.more = count >= bounds.count || (count > 0 && bytes >= bounds.bytes);
    if (page.more) break;
    const std::optional<RecordHeader> header = parse_record_header(value_of(row));
    if (!header) co_return kDamaged;
    const std::string_view key = names_.key_in(key_of(row));
    bytes += key.size() + header->value.size() + header->sliced_bytes;
    if (header->sliced_bytes != 0) large.emplace_back(heads.size(), RecordSlices(attempt, names_, key, *header));
    heads.push_back(*header);
  }
  auto next = large.begin();
  std::string value;
  for (size_t i = 0; i < heads.size(); ++i) {
    if (next != large.end() && next->first == i) {
      value.clear();
      const int code = co_await next++->second.join(value, fallback_);
      if (code != 0) co_return code;
      heads[i].value = value;
    }
    page.append(names_.key_in(key_of(rows[i])), heads[i].value, heads[i].version);
  }
  co_return 0;
}

int StoreOperations::gather(const RowKeys& names, const FdbKeyValue& row, Bounds bounds, EntryAssembly& gathered) {
  std::vector<LogEntry>& entries = gathered.entries;
  std::string_view value = value_of(row);
  const Position position = names.position_in(key_of(row));
  if (names.slice_in(key_of(row)) != 0) {
    const bool fits = !entries.empty() && entries.back().position == position && value.size() <= gathered.missing;
    if (!fits) return kDamaged;
    entries.back().entry.append(value);
    gathered.missing -= value.size();
    return 0;
  }
  if (gathered.missing != 0) return kDamaged;
  gathered.is_full = entries.size() >= bounds.count || (!entries.empty() && gathered.bytes >= bounds.bytes);
  if (gathered.is_full) return 0;
  const std::optional<uint32_t> size = take_u32(value);
  if (!size || value.size() > *size) return kDamaged;
  gathered.missing = *size - value.size();
  gathered.bytes += *size;
  entries.push_back({position, std::string(value)});
  return 0;
}

Task<int> StoreOperations::read_log(TxnAttempt& attempt, const std::string& topic, Position after, Bounds bounds,
                                    std::vector<LogEntry>& entries) const {
  entries.clear();
  EntryAssembly gathered{entries};
  Range left = names_.entries_behind(topic, after);
  for (;;) {
    const size_t bytes = bounds.bytes - std::min(bounds.bytes, gathered.bytes) + gathered.missing;
    const size_t count = bounds.count - std::min(bounds.count, entries.size());
    const Future part =
        attempt.get_range(left, Direction::kAscending, std::max<size_t>(count, 1) + slices_of(bytes), with_room(bytes));
    int code = co_await part.done(fallback_);
    if (code == kErrorTooOld && gathered.missing != 0) entries.pop_back();
    if (code == kErrorTooOld && !entries.empty()) co_return 0;
    if (code != 0) co_return code;
    const Future::Rows found = part.rows();
    for (const FdbKeyValue& row : found.rows) {
      code = gather(names_, row, bounds, gathered);
      if (code != 0 || gathered.is_full) co_return code;
    }
    if (!found.more || found.rows.empty()) co_return gathered.missing == 0 ? 0 : kDamaged;
    go_behind(key_of(found.rows.back()), Direction::kAscending, left);
  }
}

Task<int> StoreOperations::log_end(TxnAttempt& attempt, const std::string& topic, Position& end) const {
  end = Position{};
  const Future newest = attempt.get_range(names_.entries(topic), Direction::kDescending, 1, 1);
  const Future trimmed = attempt.get(names_.trimmed(topic));
  int code = co_await newest.done(fallback_);
  if (code != 0) co_return code;
  code = co_await trimmed.done(fallback_);
  if (code != 0) co_return code;
  if (!take_position(trimmed.value(), end)) co_return kDamaged;
  const Future::Rows found = newest.rows();
  if (!found.rows.empty()) end = std::max(end, names_.position_in(key_of(found.rows.front())));
  co_return 0;
}

// What is appended meanwhile lies behind what was found, and stays.
Task<int> StoreOperations::trim(TxnAttempt& attempt, const std::string& topic, Position upto) const {
  const Future last = attempt.get_range(names_.entries_upto(topic, upto), Direction::kDescending, 1, 1);
  // If the topic is deleted meanwhile, no trim position may remain.
  const Future trimmed = attempt.get_firmly(names_.trimmed(topic));
  int code = co_await last.done(fallback_);
  if (code != 0) co_return code;
  code = co_await trimmed.done(fallback_);
  if (code != 0) co_return code;
  const Future::Rows found = last.rows();
  if (found.rows.empty()) co_return 0;
  const Position end = names_.position_in(key_of(found.rows.front()));
  Position newest;
  if (!take_position(trimmed.value(), newest)) co_return kDamaged;
  attempt.set(names_.trimmed(topic), to_bytes(std::max(newest, end)));
  attempt.clear(names_.entries_upto(topic, end));
  co_return co_await commit(attempt);
}

Task<int> StoreOperations::forget(TxnAttempt& attempt, const std::string& topic) const {
  attempt.clear(names_.entries(topic));
  attempt.clear(names_.trimmed(topic));
  co_return co_await commit(attempt);
}

Task<int> StoreOperations::topics(TxnAttempt& attempt, const std::string& after, size_t most,
                                  std::vector<std::string>& names) const {
  names.clear();
  while (names.size() < most) {
    const std::string& last = names.empty() ? after : names.back();
    const Future of_entries = attempt.get_range(names_.entries_of_topics(last), Direction::kAscending, 1, 1);
    const Future of_trimmed = attempt.get_range(names_.trimmed_of_topics(last), Direction::kAscending, 1, 1);
    std::optional<std::string_view> next;
    for (const Future* const asked : {&of_entries, &of_trimmed}) {
      const int code = co_await asked->done(fallback_);
      if (code == kErrorTooOld && !names.empty()) co_return 0;
      if (code != 0) co_return code;
      const Future::Rows found = asked->rows();
      if (found.rows.empty()) continue;
      const std::string_view topic = names_.topic_in(key_of(found.rows.front()));
      if (!next || std::pair(topic.size(), topic) < std::pair(next->size(), *next)) next = topic;
    }
    if (!next) co_return 0;
    names.emplace_back(*next);
  }
  co_return 0;
}

Task<int> StoreOperations::restore(TxnAttempt& attempt, const std::string& topic,
                                   std::span<const LogEntry> entries) const {
  std::string first;
  for (const LogEntry& one : entries) {
    uint16_t slice = 0;
    for (const std::string_view value : slices_of_entry(one.entry, first)) {
      attempt.set(names_.entry_at(topic, one.position, slice++), value);
    }
  }
  co_return co_await commit(attempt);
}

Task<int> StoreOperations::begin_behind(TxnAttempt& attempt, const std::string& topic, Position end) const {
  const Future trimmed = attempt.get_firmly(names_.trimmed(topic));
  const Future aged = attempt.get_firmly(names_.age());
  int code = co_await trimmed.done(fallback_);
  if (code != 0) co_return code;
  code = co_await aged.done(fallback_);
  if (code != 0) co_return code;
  Position newest;
  const std::optional<uint8_t> age = parse_age(aged.value());
  if (!take_position(trimmed.value(), newest) || !age) co_return kDamaged;
  if (end > newest) attempt.set(names_.trimmed(topic), to_bytes(end));
  if (RowKeys::age_in(end) >= *age) {
    attempt.set(names_.age(), std::string(1, static_cast<char>(RowKeys::age_in(end) + 1)));
    attempt.renew_metadata_version();
  }
  co_return co_await commit(attempt);
}

Task<int> StoreOperations::erase(TxnAttempt& attempt, const Range& range) const {
  attempt.clear(names_.records(range));
  attempt.clear(names_.slices(range));
  // Some of them may be read-mostly.
  attempt.renew_metadata_version();
  co_return co_await commit(attempt);
}

Task<int> StoreOperations::estimate(TxnAttempt& attempt, const Range& range, uint64_t& bytes) const {
  const Future of_records = attempt.estimate(names_.records(range));
  const Future of_slices = attempt.estimate(names_.slices(range));
  int code = co_await of_records.done(fallback_);
  if (code != 0) co_return code;
  code = co_await of_slices.done(fallback_);
  if (code == 0) bytes = static_cast<uint64_t>(of_records.number() + of_slices.number());
  co_return code;
}

}  // namespace partita::foundationdb
