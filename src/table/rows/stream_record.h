// The entries of a stream's topics, as they are stored: docs/formats/streams.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace partita::table {

enum class StreamEvent : uint8_t { kInsert, kModify, kRemove };

// What became of one item. Views of the entry, or of whatever it is made from; the three items are encoded.
struct ItemRecord {
  StreamEvent event = StreamEvent::kInsert;
  bool by_service = false;
  int64_t at_ms = 0;
  std::string_view keys;
  std::string_view old_image;  // empty: not kept, or there was none; so for the next
  std::string_view new_image;
};

// The first entry of a shard, and the last one of a shard that is closed: their positions are the ends of its range of
// sequence numbers.
enum class ShardMark : uint8_t { kOpened, kClosed };

std::string encode_record(const ItemRecord& record);
std::string encode_mark(ShardMark mark);

using StreamEntry = std::variant<ItemRecord, ShardMark>;
// Errors: kCorrupt.
Result<StreamEntry> decode_entry(std::string_view entry);

}  // namespace partita::table
