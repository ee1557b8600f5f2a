#include <map>
#include <utility>

#include "model/item_codec.h"
#include "table/maintenance/verify_parts.h"
#include "table/rows/item_rows.h"
#include "table/rows/stream_record.h"

namespace partita::table {

namespace {

using model::Item;
using storage::Key;
using storage::Record;

// The newest that a stream says of an item.
struct Newest {
  bool exists = false;
  uint64_t image = 0;  // hash of the item, if the stream keeps it
  uint32_t place = 0;  // of the item's key
};

class StreamVerifier {
 public:
  StreamVerifier(Walker& walker, const TableInfo& table, const StreamRow& stream, Verified& verified)
      : walker_(walker), table_(table), stream_(stream), verified_(verified) {}

  Result<void> run() {
    for (const StreamShard& shard : stream_.shards) PARTITA_TRY_VOID(check_shard(shard));
    const bool follows = table_.stream.enabled && table_.stream.label == stream_.label;
    if (!follows || table_.status == Status::kDeleting) return {};
    const uint64_t rounds = records_ / walker_.options().keys_at_once + 1;
    for (uint64_t round = 0; round < rounds; ++round) PARTITA_TRY_VOID(compare_with_items(round, rounds));
    return {};
  }

 private:
  void wrong(const std::string& sentence) {
    differ(verified_, walker_.options(), "Its stream " + stream_.label + ": " + sentence);
  }

  std::string topic_of(const StreamShard& shard) const {
    return table::topic_of(stream_.table_id, stream_.created_ms, shard.number);
  }

  // The item that a record is about.
  std::optional<Item> keys_of(const ItemRecord& record) const {
    auto keys = model::decode_item(record.keys);
    if (!keys.ok() || !check_key(table_, *keys).ok()) return std::nullopt;
    return std::move(*keys);
  }

  Result<void> check_shard(const StreamShard& shard) {
    const std::string name = "shard " + std::to_string(shard.number);
    bool ended = false;
    uint64_t entries = 0;
    const auto take = [&](const storage::LogEntry& one) {
      if (ended) wrong("there is an entry behind the end of " + name + ".");
      const bool first = entries++ == 0;
      const auto entry = decode_entry(one.entry);
      if (!entry.ok()) return wrong("an entry of " + name + " cannot be read.");
      if (const auto* mark = std::get_if<ShardMark>(&*entry)) {
        ended = *mark == ShardMark::kClosed;
        if (!ended && !first) wrong(name + " begins twice.");
        return;
      }
      check_record(std::get<ItemRecord>(*entry), shard, name);
    };
    PARTITA_TRY_VOID(walker_.each_entry(topic_of(shard), take));
    PARTITA_TRY(const storage::Position end, wait_for(walker_.engine().log_end(topic_of(shard))));
    const bool closed = shard.closed_ms != 0;
    // A shard whose records are all too old is forgotten.
    if (end == storage::Position() && !closed) wrong(name + " has no log.");
    if (entries > 0 && ended != closed)
      wrong(name + (closed ? " is closed and has no end." : " has an end and is open."));
    return {};
  }

  void check_record(const ItemRecord& record, const StreamShard& shard, const std::string& name) {
    ++records_;
    ++verified_.records;
    const auto keys = keys_of(record);
    if (!keys) return wrong("a record of " + name + " is about no item of the table.");
    const std::string key = item_key(table_, *keys).bytes;
    std::string_view rest = key;
    const auto place = model::take_row_place(rest);
    if (place->hash < shard.first_hash || place->hash > shard.last_hash) {
      wrong("a record of the item with " + shown_key(table_, *keys) + " is in " + name + ", where it does not belong.");
    }
    for (const auto image : {record.old_image, record.new_image}) {
      if (!image.empty() && !model::decode_item(image).ok()) {
        wrong("an image of the item with " + shown_key(table_, *keys) + " cannot be read.");
      }
    }
  }

  // Of a part of the keys, the newest records and the items.
  Result<void> compare_with_items(uint64_t round, uint64_t rounds) {
    std::map<std::string, Newest> newest;
    const auto take = [&](const storage::LogEntry& one) {
      const auto entry = decode_entry(one.entry);
      const auto* record = entry.ok() ? std::get_if<ItemRecord>(&*entry) : nullptr;
      const auto keys = record != nullptr ? keys_of(*record) : std::nullopt;
      if (!keys) return;
      Key key = item_key(table_, *keys);
      if (hash64(key.bytes) % rounds != round) return;
      newest[std::move(key.bytes)] = {record->event != StreamEvent::kRemove, hash64(record->new_image), key.place};
    };
    // Shards are numbered in the order in which they go on from each other.
    for (const StreamShard& shard : stream_.shards) PARTITA_TRY_VOID(walker_.each_entry(topic_of(shard), take));
    const auto compare = [&](const std::string&, const Key& key, std::string_view, const std::optional<Record>& found) {
      const Newest& said = newest.at(key.bytes);
      const bool differs = said.exists != found.has_value();
      const bool altered = !differs && found && keeps_new_images(table_.stream) && said.image != hash64(found->value);
      if (!differs && !altered) return;
      wrong("the newest record of the item with " + shown(key) + " says that " +
            (altered       ? "it is another than the table has."
             : said.exists ? "it is there."
                           : "it is gone."));
    };
    Lookups lookups(walker_, compare);
    for (const auto& [bytes, said] : newest) {
      Key key;
      key.bytes = bytes;
      key.place = said.place;
      PARTITA_TRY_VOID(lookups.want(std::move(key), {}, {}));
    }
    return lookups.finish();
  }

  std::string shown(const Key& key) const {
    std::string_view rest = key.bytes;
    Item item;
    model::take_row_place(rest);
    for (const auto* elements : {&table_.keys.partition, &table_.keys.sort}) {
      auto values = model::take_key_values(*elements, rest);
      for (size_t i = 0; values && i < elements->size(); ++i) item.set((*elements)[i].name, std::move((*values)[i]));
    }
    return shown_key(table_, item);
  }

  Walker& walker_;
  const TableInfo& table_;
  const StreamRow& stream_;
  Verified& verified_;
  uint64_t records_ = 0;
};

}  // namespace

Result<void> verify_stream(Walker& walker, const TableInfo& table, const StreamRow& stream, Verified& verified) {
  return StreamVerifier(walker, table, stream, verified).run();
}

}  // namespace partita::table
