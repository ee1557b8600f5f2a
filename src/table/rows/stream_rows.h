// A table's stream: the log of the changes of its items, in shards.
//
// The table's description contains its newest stream, so every write knows whether there is one and which shard its
// item belongs to. No write goes to a closed shard: opening and closing a shard changes the description, which every
// write compares. Each shard is a topic of the engine's log. The record of a change is appended by the transaction that
// makes the change.
//
// A stream outlives its table, and being disabled: its description is in a row of its own, which is written with each
// change of the table's description that concerns it, until its last record is 24 hours old.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/key.h"
#include "storage/engine.h"
#include "table/rows/schema.h"

namespace partita::table {

// The retention of a record ("Change data capture for DynamoDB Streams", developer guide).
inline constexpr int64_t kStreamLifetimeMs = 24LL * 60 * 60 * 1000;
// About how long a shard remains open, from the same page.
inline constexpr int64_t kShardLifetimeMs = 4LL * 60 * 60 * 1000;

bool keeps_new_images(const StreamInfo& stream);
bool keeps_old_images(const StreamInfo& stream);

// The open shard for changes of the item, or null. Precondition: a key of item_key().
const StreamShard* shard_of(const TableInfo& table, const storage::Key& key);
// `created_ms` distinguishes the streams of a table.
std::string topic_of(uint32_t table_id, int64_t created_ms, uint32_t shard);

// Gives the table a new stream. Precondition: it has no enabled one.
void begin_stream(TableInfo& table, std::string view_type, int64_t now_ms);
// Disables the stream, which remains readable.
void end_stream(TableInfo& table);
// Closes the shard and opens `children` (1 or 2) of it. Precondition: it is open.
void renew_shard(TableInfo& table, uint32_t number, int children, int64_t now_ms);
// The number of shards for the table: that of the partitions that DynamoDB would use.
size_t wanted_shards(const TableInfo& table, int64_t bytes);

// As it is stored.
struct StreamRow {
  uint32_t table_id = 0;
  std::string table;
  model::KeySchema keys;
  std::string view_type;
  std::string label;
  int64_t created_ms = 0;
  int64_t ended_ms = 0;  // 0: enabled
  std::vector<StreamShard> shards;

  // Null if there is none with that number.
  const StreamShard* find(uint32_t number) const;
};

// Of all streams, of those of one table, of one.
std::string stream_row_prefix(std::string_view table);
storage::Key stream_row_key(std::string_view table, std::string_view label);
std::string encode_stream_row(const StreamRow& row);
// Errors: kCorrupt.
Result<StreamRow> decode_stream_row(std::string_view bytes);

// The effect of a change of the description on the rows and topics of its streams.
void put_stream(const TableInfo& before, const TableInfo& after, int64_t now_ms, storage::Changes& changes);

std::string encoded_shards(const std::vector<StreamShard>& shards);
// Errors: kCorrupt.
Result<std::vector<StreamShard>> decoded_shards(std::string_view bytes);

}  // namespace partita::table
