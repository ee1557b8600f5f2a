#include "table/rows/sink_maker.h"

#include "table/rows/sink_rows.h"

namespace partita::table {

namespace {

class SinkLogMaker final : public RowMaker {
 public:
  bool applies_to(const TableInfo& table) const override { return !table.sinks.empty(); }

  // A change that leaves the item as it was is not logged.
  void change_item(const TableInfo& table, const storage::Key& key, const Image& before, const Image& after,
                   const Origin& origin, storage::Changes& changes) const override {
    if (before.stored == after.stored) return;
    const size_t slice = sink_slice(key.bytes);
    for (const uint16_t number : table.sinks) {
      changes.append(sink_topic(table.id, number, slice), encode_sink_entry({origin.at_ms, key.bytes}));
    }
  }
};

constinit const SinkLogMaker kSinkLogMaker;

}  // namespace

const RowMaker& sink_log_maker() { return kSinkLogMaker; }

}  // namespace partita::table
