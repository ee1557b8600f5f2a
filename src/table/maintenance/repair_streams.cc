#include <algorithm>
#include <map>
#include <utility>

#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/maintenance/repair_parts.h"
#include "table/rows/item_rows.h"
#include "table/rows/stream_record.h"
#include "table/rows/stream_rows.h"

namespace partita::table {

namespace {

using model::Item;
using storage::Key;
using storage::Record;

// Of a record in memory, beside its bytes.
constexpr uint64_t kRecordOverheadBytes = 256;

// The newest that a stream says of an item.
struct NewestImage {
  bool exists = false;
  std::string image;  // if the stream keeps new images
  uint32_t place = 0;
};

// Adds records for lost items to the table's stream, so that its consumers learn of the loss.
class StreamRepair {
 public:
  StreamRepair(Repair& repair, const TableInfo& table)
      : repair_(repair), table_(table), walker_(repair.engine, repair.pages) {}

  Result<void> run() {
    if (!table_.stream.enabled || table_.stream.shards.empty() || table_.status == Status::kDeleting) return {};
    PARTITA_TRY_VOID(put_row());
    uint64_t bytes = 0;
    for (const StreamShard& shard : table_.stream.shards) PARTITA_TRY_VOID(repair_marks(shard, bytes));
    const uint64_t rounds = bytes / repair_.options.stream_bytes + 1;
    for (uint64_t round = 0; round < rounds; ++round) PARTITA_TRY_VOID(correct(round, rounds));
    if (corrected_ > 0) {
      repair_.report.mended.push_back("Table " + table_.name + ": its stream got " + std::to_string(corrected_) +
                                      " records of what is lost, so that it ends with what the table holds.");
    }
    return repair_.writer.flush();
  }

 private:
  std::string topic(uint32_t shard) const { return topic_of(table_.id, table_.stream.created_ms, shard); }

  Result<void> put_row() {
    const bool is_there = std::ranges::any_of(repair_.known.streams, [&](const StreamRow& row) {
      return row.table_id == table_.id && row.label == table_.stream.label;
    });
    if (is_there) return {};
    StreamRow row;
    row.table_id = table_.id;
    row.table = table_.name;
    row.keys = table_.keys;
    row.view_type = table_.stream.view_type;
    row.label = table_.stream.label;
    row.created_ms = table_.stream.created_ms;
    row.shards = table_.stream.shards;
    return repair_.writer.put(stream_row_key(row.table, row.label), encode_stream_row(row));
  }

  // The last entry of a closed shard says so, and an open one has at least a first.
  Result<void> repair_marks(const StreamShard& shard, uint64_t& bytes) {
    bool ended = false;
    uint64_t entries = 0;
    const auto take = [&](const storage::LogEntry& one) {
      const auto entry = decode_entry(one.entry);
      const auto* mark = entry.ok() ? std::get_if<ShardMark>(&*entry) : nullptr;
      ended = mark != nullptr && *mark == ShardMark::kClosed;
      ++entries;
      bytes += one.entry.size() + kRecordOverheadBytes;
    };
    PARTITA_TRY_VOID(walker_.each_entry(topic(shard.number), take));
    const bool closed = shard.closed_ms != 0;
    if (closed && entries > 0 && !ended) {
      return repair_.writer.append(topic(shard.number), encode_mark(ShardMark::kClosed));
    }
    if (closed || entries > 0) return {};
    PARTITA_TRY(const storage::Position end, wait_for(repair_.engine.log_end(topic(shard.number))));
    if (end != storage::Position()) return {};
    return repair_.writer.append(topic(shard.number), encode_mark(ShardMark::kOpened));
  }

  // Of a part of the keys.
  Result<void> correct(uint64_t round, uint64_t rounds) {
    std::map<std::string, NewestImage> newest;
    const auto take = [&](const storage::LogEntry& one) {
      const auto entry = decode_entry(one.entry);
      const auto* record = entry.ok() ? std::get_if<ItemRecord>(&*entry) : nullptr;
      const auto keys = record != nullptr ? model::decode_item(record->keys) : Result<Item>(Item());
      if (record == nullptr || !keys.ok() || !check_key(table_, *keys).ok()) return;
      Key key = item_key(table_, *keys);
      if (hash64(key.bytes) % rounds != round) return;
      newest[std::move(key.bytes)] = {record->event != StreamEvent::kRemove, std::string(record->new_image), key.place};
    };
    for (const StreamShard& shard : table_.stream.shards)
      PARTITA_TRY_VOID(walker_.each_entry(topic(shard.number), take));
    Result<void> corrected;
    const auto compare = [&](const std::string&, const Key& key, std::string_view, const std::optional<Record>& found) {
      const NewestImage& said = newest.at(key.bytes);
      const bool altered = found && said.exists && keeps_new_images(table_.stream) && said.image != found->value;
      if (said.exists == found.has_value() && !altered) return;
      if (corrected.ok()) corrected = append(key, said, found);
    };
    Lookups lookups(walker_, compare);
    for (const auto& [bytes, said] : newest) PARTITA_TRY_VOID(lookups.want({bytes, said.place}, {}, {}));
    PARTITA_TRY_VOID(lookups.finish());
    return corrected;
  }

  Result<void> append(const Key& key, const NewestImage& said, const std::optional<Record>& found) {
    const StreamShard* shard = shard_of(table_, key);
    const auto keys = keys_of_row(table_, nullptr, key.bytes);
    if (shard == nullptr || !keys) return {};
    if (!found) repair_.lose_item(table_, *keys);
    ItemRecord record;
    record.event = !said.exists ? StreamEvent::kInsert : found ? StreamEvent::kModify : StreamEvent::kRemove;
    record.at_ms = repair_.options.now_ms;
    const std::string encoded = model::encode_item(*keys);
    record.keys = encoded;
    if (keeps_old_images(table_.stream) && said.exists) record.old_image = said.image;
    if (keeps_new_images(table_.stream) && found) record.new_image = found->value;
    ++corrected_;
    return repair_.writer.append(topic(shard->number), encode_record(record));
  }

  Repair& repair_;
  const TableInfo& table_;
  Walker walker_;
  uint64_t corrected_ = 0;
};

}  // namespace

Result<void> repair_streams(Repair& repair, const TableInfo& table) { return StreamRepair(repair, table).run(); }

}  // namespace partita::table
