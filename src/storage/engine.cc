#include "storage/engine.h"

#include <algorithm>
#include <string>

#include "base/check.h"

namespace partita::storage {

void Page::append(std::string_view key, std::string_view value, Version version) {
  const size_t offset = buffer_.size();
  rows_.push_back(
      {static_cast<uint32_t>(offset), static_cast<uint32_t>(key.size()), static_cast<uint32_t>(value.size()), version});
  const size_t end = offset + key.size() + value.size();
  // The function's second argument is the new capacity in libstdc++ 12, if the buffer grows.
  buffer_.resize_and_overwrite(end, [&](char* buffer, size_t) {
    key.copy(buffer + offset, key.size());
    value.copy(buffer + offset + key.size(), value.size());
    return end;
  });
}

void Page::reserve(size_t rows, size_t bytes) {
  rows_.reserve(rows);
  buffer_.reserve(bytes);
}

Page::Row Page::operator[](size_t index) const {
  PARTITA_CHECK(index < rows_.size());
  const Place& place = rows_[index];
  const char* const key = buffer_.data() + place.offset;
  return {{key, place.key_size}, {key + place.key_size, place.value_size}, place.version};
}

namespace {

Error too_large(const char* what, size_t bytes, size_t limit) {
  return Error(ErrorKind::kTooLarge, std::string(what) + " of " + std::to_string(bytes) +
                                         " bytes is larger than the store takes (" + std::to_string(limit) + ").");
}

Result<void> check(const char* what, size_t bytes, size_t limit) {
  if (bytes > limit) return too_large(what, bytes, limit);
  return {};
}

}  // namespace

Result<void> check_keys(const Limits& limits, std::span<const Key> keys, std::span<const Compare> compare) {
  for (const Key& key : keys) PARTITA_TRY_VOID(check("A key", key.bytes.size(), limits.key_bytes));
  for (const Compare& one : compare) PARTITA_TRY_VOID(check("A key", one.key.bytes.size(), limits.key_bytes));
  return {};
}

Result<void> check_changes(const Limits& limits, const Changes& changes) {
  size_t bytes = 0;
  for (const Changes::Write& write : changes.writes()) {
    const size_t value_bytes = write.value ? write.value->size() : 0;
    PARTITA_TRY_VOID(check("A key", write.key.bytes.size(), limits.key_bytes));
    PARTITA_TRY_VOID(check("A record", value_bytes, limits.record_bytes));
    bytes += write.key.bytes.size() + value_bytes;
  }
  for (const Changes::Append& append : changes.appends()) {
    PARTITA_TRY_VOID(check("A topic", append.topic.size(), kMaxTopicBytes));
    PARTITA_TRY_VOID(check("A log entry", append.entry.size(), limits.record_bytes));
    bytes += append.topic.size() + append.entry.size();
  }
  return check("A transaction", bytes, limits.transaction_bytes);
}

Task<Result<std::vector<std::string>>> Engine::topics(std::string, size_t) {
  co_return Error(ErrorKind::kUnavailable, "The logs of this kind of store cannot be listed, so it cannot be copied.");
}

Task<Result<void>> Engine::restore_log(std::string, std::vector<LogEntry>, Position) {
  co_return Error(ErrorKind::kUnavailable, "This kind of store cannot be the copy of another.");
}

bool are_distinct(std::span<const Key> keys) {
  if (keys.size() <= 1) return true;
  std::vector<std::string_view> names;
  names.reserve(keys.size());
  for (const Key& key : keys) names.push_back(key.bytes);
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

}  // namespace partita::storage
