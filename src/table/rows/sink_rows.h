// The sinks of a table: where its changes are carried (src/sinks), as the store holds them.
//
// The table's description has the numbers of its sinks, so every write knows which logs it appends to. A sink has
// kSinkSlices logs for its whole life, divided by the hash of the partition key. An entry is the key of an item that
// changed; for a sink that takes every change, also the item before and after it. What else there is about a sink is in
// a row of its own, which is stored twice; its progress is in the row of its job (JobKind::kCarry).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/rows/schema.h"
#include "table/rows/stream_record.h"

namespace partita::table {

// The feature of tables with sinks, see TableInfo::features.
inline constexpr std::string_view kSinkFeature = "sinks";
// Of those with a sink that takes every change.
inline constexpr std::string_view kChangeSinkFeature = "change-sinks";
// Adds the features that a table's sinks need, or removes them.
void note_sinks(TableInfo& table);

inline constexpr size_t kSinkSlices = 4;
// The slice of an item. Precondition: a key of item_key().
size_t sink_slice(std::string_view key);
// The topic of a slice.
std::string sink_topic(uint32_t table_id, uint16_t number, size_t slice);

// A change in a slice's log.
struct SinkEntry {
  int64_t at_ms = 0;     // when the item was written
  std::string_view key;  // of the item
};
std::string encode_sink_entry(const SinkEntry& entry);
// A view of the bytes; nullopt if they are damaged.
std::optional<SinkEntry> sink_entry_from(std::string_view bytes);

// A change in a slice's log of a sink that takes every change.
struct ChangeEntry {
  std::string_view key;  // of the item
  ItemRecord record;     // with both images
};
std::string encode_change_entry(const ChangeEntry& entry);
// Views of the bytes. Error: kCorrupt.
Result<ChangeEntry> change_entry_from(std::string_view bytes);

// When the item of an entry was written, of either kind; nullopt if it is damaged.
std::optional<int64_t> sink_entry_time(std::string_view bytes);

struct Sink {
  uint32_t table_id = 0;
  uint16_t number = 0;  // from 1; never used again within the table
  std::string id;       // random lower-case letters and digits: no other sink of any store has it, but that of a copy
  std::string table;
  std::string name;  // unique within the table
  int64_t created_ms = 0;

  // What the operator asked for.
  std::string url;
  bool changes = false;  // takes every change, with its images; otherwise the newest state of each item
  std::map<std::string, std::string> options;  // of the kind of its URL
  std::string owner;             // what manages it instead of the operator's calls, as "kinesis"; empty: nothing
  std::string index;             // empty: made from the names
  std::string credentials_file;  // empty: none
  std::string authority_file;    // empty: the system's authorities
  std::vector<std::string> fields;
  bool flat = false;   // the whole item in one field
  std::string filter;  // a FilterExpression; empty: all items
  std::vector<std::pair<std::string, std::string>> filter_names;
  model::Item filter_values;
  std::string dead_letters;       // a table of the same store
  int64_t max_backlog_bytes = 0;  // of the logs

  // What it is to do. Each fill has a number; a higher one than that of the progress begins a fill. One that takes
  // every change has no fill.
  uint64_t generation = 1;
  std::string filled_because;  // why the last fill was begun; empty: the sink is new
  uint64_t retries = 0;        // how often the dead letters were to be sent again
  bool paused = false;
  std::string failure;   // why nothing is carried before it is resumed; empty: nothing is wrong
  uint64_t dropped = 0;  // changes that were dropped, for too many were waiting, since it was resumed: fails it, too
  bool deleting = false;
  bool deletes_index = false;
  int64_t rolled_back_ms = 0;  // DatabaseOptions::rolled_back_ms when the last fill began
};

storage::Key sink_row_key(uint32_t table_id, uint16_t number);
// Of one table, and their second copies.
storage::Range sink_rows(uint32_t table_id);
storage::Range second_sink_rows(uint32_t table_id);
std::string sink_row(const Sink& sink);
// Error: kCorrupt.
Result<Sink> sink_from(std::string_view row);

// Whether 1 to 64 letters, digits, '_', '-' and '.'.
bool is_sink_name(std::string_view name);

}  // namespace partita::table
