#include "table/rows/counts.h"

#include <algorithm>

#include "base/bytes.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

constexpr char kCountFormat = 1;
constexpr size_t kTableIdBytes = 4;
constexpr size_t kScanRows = 4096;
constexpr size_t kScanBytes = size_t{4} << 20;

uint64_t zigzag(int64_t value) { return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63); }
int64_t unzigzag(uint64_t value) { return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1); }

Error damaged(const char* what) { return Error(ErrorKind::kCorrupt, std::string(what) + " is damaged"); }

auto place_of(auto& all, uint16_t index) {
  return std::ranges::lower_bound(all, index, {}, &std::pair<uint16_t, Count>::first);
}

std::string count_prefix(uint32_t table_id) {
  std::string rest;
  append_u32(rest, table_id);
  return system_key(SystemRow::kCount, rest).bytes;
}

void append_size(std::string& out, const std::optional<uint64_t>& size) { append_varint(out, size ? *size + 1 : 0); }

std::optional<uint64_t> size_from(uint64_t stored) { return stored == 0 ? std::nullopt : std::optional(stored - 1); }

}  // namespace

void Counts::add(uint16_t index, Count count) {
  const auto at = place_of(all_, index);
  if (at == all_.end() || at->first != index) {
    all_.insert(at, {index, count});
    return;
  }
  at->second.items += count.items;
  at->second.bytes += count.bytes;
}

void Counts::add(const Counts& other) {
  for (const auto& [index, count] : other.all_) add(index, count);
}

void Counts::set(uint16_t index, Count count) {
  erase(index);
  add(index, count);
}

void Counts::erase(uint16_t index) {
  std::erase_if(all_, [=](const auto& one) { return one.first == index; });
}

Count Counts::of(uint16_t index) const {
  const auto at = place_of(all_, index);
  return at == all_.end() || at->first != index ? Count() : at->second;
}

void encode_counts(const Counts& counts, std::string& out) {
  out.push_back(kCountFormat);
  for (const auto& [index, count] : counts.all()) {
    append_varint(out, index);
    append_varint(out, zigzag(count.items));
    append_varint(out, zigzag(count.bytes));
  }
}

Result<Counts> decode_counts(std::string_view bytes) {
  if (take_u8(bytes) != kCountFormat) return damaged("a table's count");
  Counts counts;
  while (!bytes.empty()) {
    const auto index = take_varint(bytes);
    const auto items = take_varint(bytes);
    const auto size = take_varint(bytes);
    if (!index || *index > UINT16_MAX || !items || !size) return damaged("a table's count");
    counts.add(static_cast<uint16_t>(*index), {unzigzag(*items), unzigzag(*size)});
  }
  return counts;
}

CountSlots::CountSlots(uint32_t table_id, uint64_t revision, std::pair<uint64_t, uint32_t> origin)
    : prefix_([&] {
        std::string prefix = count_prefix(table_id);
        append_u64(prefix, revision);
        append_u64(prefix, origin.first);
        append_u32(prefix, origin.second);
        return prefix;
      }()) {}

CountSlots::Slot CountSlots::take() {
  const MutexLock lock(mutex_);
  if (free_.empty()) {
    Slot fresh;
    fresh.number = next_++;
    return fresh;
  }
  Slot slot = std::move(free_.back());
  free_.pop_back();
  return slot;
}

void CountSlots::give_back(Slot slot) {
  const MutexLock lock(mutex_);
  free_.push_back(std::move(slot));
}

storage::Key CountSlots::key_of(const Slot& slot) const {
  storage::Key key;
  key.bytes.reserve(prefix_.size() + sizeof(slot.number));
  key.bytes = prefix_;
  key.place = static_cast<uint32_t>(prefix_.size());
  append_u32(key.bytes, slot.number);
  return key;
}

storage::Key base_count_key(uint32_t table_id) {
  storage::Key key;
  key.bytes = count_prefix(table_id);
  key.place = static_cast<uint32_t>(key.bytes.size());
  return key;
}

storage::Range count_rows(uint32_t table_id) { return storage::range_of(count_prefix(table_id)); }

std::optional<uint64_t> revision_of_count(std::string_view key) {
  key.remove_prefix(std::min(key.size(), system_key(SystemRow::kCount).bytes.size() + kTableIdBytes));
  return take_u64(key);
}

Task<Result<StoredCounts>> read_counts(storage::Engine& engine, uint32_t table_id) {
  StoredCounts stored;
  storage::Range range = count_rows(table_id);
  for (bool more = true; more;) {
    auto scanned = co_await engine.scan(range, storage::Direction::kAscending, kScanRows, kScanBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    for (size_t i = 0; i < page.size(); ++i) {
      PARTITA_CO_TRY(const Counts counts, decode_counts(page[i].value));
      stored.total.add(counts);
    }
    stored.rows += page.size();
    more = storage::advance(range, page);
  }
  co_return stored;
}

std::string encode_row_change(const RowChange& change) {
  std::string bytes(1, kCountFormat);
  append_size(bytes, change.before);
  append_size(bytes, change.after);
  bytes.append(change.key);
  return bytes;
}

Result<RowChange> decode_row_change(std::string_view bytes) {
  const bool known = take_u8(bytes) == kCountFormat;
  const auto before = take_varint(bytes);
  const auto after = take_varint(bytes);
  if (!known || !before || !after) return damaged("a note of a change");
  return RowChange{bytes, size_from(*before), size_from(*after)};
}

std::string counting_topic(uint32_t table_id, uint16_t index, uint64_t run) {
  std::string topic = "count";
  append_u32(topic, table_id);
  append_u16(topic, index);
  append_u64(topic, run);
  return topic;
}

}  // namespace partita::table
