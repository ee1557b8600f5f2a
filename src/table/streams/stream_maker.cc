#include "table/streams/stream_maker.h"

#include "model/item_codec.h"
#include "table/rows/item_rows.h"
#include "table/rows/stream_record.h"
#include "table/rows/stream_rows.h"

namespace partita::table {

namespace {

class StreamRecordMaker final : public RowMaker {
 public:
  bool applies_to(const TableInfo& table) const override { return table.stream.enabled; }

  // A change that leaves the item as it was has no record. Equal items are equal bytes.
  void change_item(const TableInfo& table, const storage::Key& key, const Image& before, const Image& after,
                   const Origin& origin, storage::Changes& changes) const override {
    const StreamShard* shard = shard_of(table, key);
    if (shard == nullptr || before.stored == after.stored) return;
    ItemRecord record;
    record.event = !before.exists() ? StreamEvent::kInsert
                   : after.exists() ? StreamEvent::kModify
                                    : StreamEvent::kRemove;
    record.at_ms = origin.at_ms;
    record.by_service = origin.service;
    const std::string keys = model::encode_item(key_of(table, after.exists() ? *after.item : *before.item));
    record.keys = keys;
    if (keeps_old_images(table.stream)) record.old_image = before.stored;
    if (keeps_new_images(table.stream)) record.new_image = after.stored;
    changes.append(topic_of(table.id, table.stream.created_ms, shard->number), encode_record(record));
  }
};

constinit const StreamRecordMaker kMaker;

}  // namespace

const RowMaker& stream_record_maker() { return kMaker; }

}  // namespace partita::table
