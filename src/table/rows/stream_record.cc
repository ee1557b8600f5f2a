#include "table/rows/stream_record.h"

#include "base/bytes.h"

namespace partita::table {

namespace {

constexpr char kEntryFormat = 1;

// What an entry is; behind it, of a record: whose doing it was, when, and the three items.
enum class EntryTag : uint8_t { kInsert, kModify, kRemove, kOpened, kClosed };

Error damaged_entry() { return Error(ErrorKind::kCorrupt, "an entry of a stream is damaged"); }

}  // namespace

std::string encode_record(const ItemRecord& record) {
  std::string out;
  out.reserve(32 + record.keys.size() + record.old_image.size() + record.new_image.size());
  out.push_back(kEntryFormat);
  out.push_back(static_cast<char>(record.event));
  out.push_back(record.by_service ? 1 : 0);
  append_u64(out, static_cast<uint64_t>(record.at_ms));
  append_sized(out, record.keys);
  append_sized(out, record.old_image);
  append_sized(out, record.new_image);
  return out;
}

std::string encode_mark(ShardMark mark) {
  const EntryTag tag = mark == ShardMark::kOpened ? EntryTag::kOpened : EntryTag::kClosed;
  return {kEntryFormat, static_cast<char>(tag)};
}

Result<StreamEntry> decode_entry(std::string_view entry) {
  const auto format = take_u8(entry);
  const auto tag = take_u8(entry);
  if (format != kEntryFormat || !tag || *tag > static_cast<uint8_t>(EntryTag::kClosed)) return damaged_entry();
  if (static_cast<EntryTag>(*tag) >= EntryTag::kOpened) {
    if (!entry.empty()) return damaged_entry();
    return StreamEntry(static_cast<EntryTag>(*tag) == EntryTag::kOpened ? ShardMark::kOpened : ShardMark::kClosed);
  }
  ItemRecord record;
  record.event = static_cast<StreamEvent>(*tag);
  const auto by_service = take_u8(entry);
  const auto at_ms = take_u64(entry);
  const auto keys = take_sized(entry);
  const auto old_image = take_sized(entry);
  const auto new_image = take_sized(entry);
  if (!by_service || *by_service > 1 || !at_ms || !keys || !old_image || !new_image || !entry.empty())
    return damaged_entry();
  record.by_service = *by_service == 1;
  record.at_ms = static_cast<int64_t>(*at_ms);
  record.keys = *keys;
  record.old_image = *old_image;
  record.new_image = *new_image;
  return StreamEntry(record);
}

}  // namespace partita::table
