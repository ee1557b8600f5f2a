#include "table/rows/sink_maker.h"

#include <algorithm>

#include "model/item_codec.h"
#include "table/rows/item_rows.h"
#include "table/rows/sink_rows.h"

namespace partita::table {

namespace {

std::string change_entry_of(const TableInfo& table, const storage::Key& key, const Image& before, const Image& after,
                            const Origin& origin) {
  const std::string keys = model::encode_item(key_of(table, after.exists() ? *after.item : *before.item));
  ChangeEntry entry;
  entry.key = key.bytes;
  entry.record.event = !before.exists() ? StreamEvent::kInsert
                       : after.exists() ? StreamEvent::kModify
                                        : StreamEvent::kRemove;
  entry.record.by_service = origin.service;
  entry.record.at_ms = origin.at_ms;
  entry.record.keys = keys;
  entry.record.old_image = before.stored;
  entry.record.new_image = after.stored;
  return encode_change_entry(entry);
}

class SinkLogMaker final : public RowMaker {
 public:
  bool applies_to(const TableInfo& table) const override { return !table.sinks.empty(); }

  // A change that leaves the item as it was is not logged.
  void change_item(const TableInfo& table, const storage::Key& key, const Image& before, const Image& after,
                   const Origin& origin, storage::Changes& changes) const override {
    if (before.stored == after.stored) return;
    const size_t slice = sink_slice(key.bytes);
    std::string change;
    if (!table.change_sinks.empty()) change = change_entry_of(table, key, before, after, origin);
    for (const uint16_t number : table.sinks) {
      const bool whole = std::ranges::find(table.change_sinks, number) != table.change_sinks.end();
      changes.append(sink_topic(table.id, number, slice),
                     whole ? change : encode_sink_entry({origin.at_ms, key.bytes}));
    }
  }
};

constinit const SinkLogMaker kSinkLogMaker;

}  // namespace

const RowMaker& sink_log_maker() { return kSinkLogMaker; }

}  // namespace partita::table
