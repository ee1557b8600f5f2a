#include "engines/foundationdb/rows.h"

#include <algorithm>
#include <ctime>

#include "base/bytes.h"
#include "base/check.h"

namespace partita::foundationdb {

using namespace storage;

namespace {

constexpr char kWhole = 1;
constexpr char kSliced = 2;
// The age, the moment of a commit, and the number of the entry within it. Behind it, positions have a 0, and rows the
// number of the slice.
constexpr size_t kStampBytes = 10;
constexpr size_t kEntryBytes = 1 + kStampBytes + sizeof(uint32_t);
static_assert(kEntryBytes + 1 == sizeof(Position));

std::string_view bytes_of(const Position& position) {
  return {reinterpret_cast<const char*>(position.bytes.data()), position.bytes.size()};
}

}  // namespace

void append_packed(std::string& out, std::string_view key) {
  uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : key) {
    bits = bits << 8 | static_cast<uint8_t>(c);
    count += 8;
    while (count >= 7) {
      count -= 7;
      out.push_back(static_cast<char>((bits >> count & 0x7f) + 1));
    }
    bits &= (1u << count) - 1;
  }
  if (count > 0) out.push_back(static_cast<char>((bits << (7 - count) & 0x7f) + 1));
}

Range RowKeys::records(const Range& keys) const {
  Range range = all('r');
  range.begin.append(keys.begin);
  if (!keys.end.empty()) range.end = record(keys.end);
  return range;
}

std::string RowKeys::slice(std::string_view key, uint16_t number) const {
  std::string name = under('s');
  append_packed(name, key);
  name.push_back('\0');
  append_u16(name, number);
  return name;
}

Range RowKeys::slices(std::string_view key) const {
  Range range{under('s'), {}};
  append_packed(range.begin, key);
  range.end = range.begin;
  range.begin.push_back('\0');
  range.end.push_back('\1');
  return range;
}

Range RowKeys::slices(const Range& keys) const {
  Range range = all('s');
  append_packed(range.begin, keys.begin);
  if (keys.end.empty()) return range;
  range.end = under('s');
  append_packed(range.end, keys.end);
  return range;
}

std::string RowKeys::topic_of(std::string_view topic) {
  PARTITA_CHECK(topic.size() <= kMaxTopicBytes);
  return std::string(1, static_cast<char>(topic.size())).append(topic);
}

std::string RowKeys::entry(std::string_view topic, uint8_t age, uint32_t number, uint16_t slice,
                           size_t& stamp_at) const {
  std::string name = under('l').append(topic_of(topic)).append(1, static_cast<char>(age));
  stamp_at = name.size();
  name.append(kStampBytes, '\0');
  append_u32(name, number);
  append_u16(name, slice);
  return name;
}

bool RowKeys::is_a_position(const Position& position) {
  return position.bytes.back() == 0 && age_in(position) < UINT8_MAX;
}

std::string RowKeys::entry_at(std::string_view topic, const Position& position, uint16_t slice) const {
  std::string name = under('l').append(topic_of(topic)).append(bytes_of(position).substr(0, kEntryBytes));
  append_u16(name, slice);
  return name;
}

Range RowKeys::entries(std::string_view topic) const {
  std::string begin = under('l').append(topic_of(topic));
  std::string end = begin + std::string(kEntryBytes + sizeof(uint16_t), '\xff');
  return {std::move(begin), std::move(end)};
}

Range RowKeys::entries_of_topics(std::string_view after) const { return {entries(after).end, all('l').end}; }

Range RowKeys::trimmed_of_topics(std::string_view after) const { return {trimmed(after) + '\0', all('t').end}; }

std::string_view RowKeys::topic_in(std::string_view row) const {
  row.remove_prefix(prefix_.size() + 1);
  const std::optional<uint8_t> size = take_u8(row);
  PARTITA_CHECK(size && *size <= row.size());
  return row.substr(0, *size);
}

Range RowKeys::entries_behind(std::string_view topic, const Position& after) const {
  Range range = entries(topic);
  if (after != Position{}) range.begin.append(bytes_of(after).substr(0, kEntryBytes)).append(3, '\xff');
  return range;
}

Range RowKeys::entries_upto(std::string_view topic, const Position& upto) const {
  Range range = entries(topic);
  range.end = entries_behind(topic, upto).begin;
  return range;
}

Position RowKeys::position_in(std::string_view entry) const {
  constexpr size_t kRowBytes = kEntryBytes + sizeof(uint16_t);
  PARTITA_CHECK(entry.size() >= kRowBytes);
  Position position;
  std::ranges::copy(entry.substr(entry.size() - kRowBytes, kEntryBytes), position.bytes.begin());
  return position;
}

uint16_t RowKeys::slice_in(std::string_view entry) const {
  std::string_view number = entry.substr(entry.size() - sizeof(uint16_t));
  return take_u16(number).value();
}

std::string RowKeys::mark(std::string_view server, uint8_t lane) const {
  return under('d').append(server).append(1, static_cast<char>(lane));
}

std::string RowKeys::user(uint64_t id) const {
  std::string name = under('u');
  append_u64(name, id);
  return name;
}

std::string make_mark(uint64_t sequence, bool fenced) {
  std::string mark;
  append_u64(mark, sequence);
  append_u64(mark, static_cast<uint64_t>(std::time(nullptr)));
  mark.push_back(fenced ? 1 : 0);
  return mark;
}

std::optional<uint64_t> time_of_mark(std::string_view mark) {
  take_u64(mark);
  return take_u64(mark);
}

std::optional<uint8_t> parse_age(std::optional<std::string_view> row) {
  if (!row) return 0;
  std::optional<uint8_t> age = take_u8(*row);
  return row->empty() ? age : std::nullopt;
}

std::vector<std::string_view> slices_of_entry(std::string_view entry, std::string& first) {
  first.clear();
  append_u32(first, static_cast<uint32_t>(entry.size()));
  first.append(entry.substr(0, kSliceBytes));
  std::vector<std::string_view> slices{first};
  while (entry.size() > kSliceBytes) {
    entry.remove_prefix(kSliceBytes);
    slices.push_back(entry.substr(0, kSliceBytes));
  }
  return slices;
}

bool has_slices(std::string_view value) { return value.size() > kSliceBytes; }

std::string make_record_header(Version version, std::string_view value) {
  std::string row(1, has_slices(value) ? kSliced : kWhole);
  append_u64(row, static_cast<uint64_t>(version));
  if (has_slices(value)) {
    append_u32(row, static_cast<uint32_t>(value.size()));
  } else {
    row.append(value);
  }
  return row;
}

std::optional<RecordHeader> parse_record_header(std::string_view row) {
  const std::optional<uint8_t> kind = take_u8(row);
  const std::optional<uint64_t> version = take_u64(row);
  if (!version || (*kind != kWhole && *kind != kSliced)) return std::nullopt;
  RecordHeader header;
  header.version = Version{*version};
  if (*kind == kWhole) {
    header.value = row;
    return header;
  }
  const std::optional<uint32_t> size = take_u32(row);
  if (!size || *size <= kSliceBytes || !row.empty()) return std::nullopt;
  header.sliced_bytes = *size;
  return header;
}

}  // namespace partita::foundationdb
