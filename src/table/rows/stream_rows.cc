#include "table/rows/stream_rows.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"
#include "base/clock.h"
#include "table/rows/stream_record.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

constexpr uint8_t kStreamRowFormat = 1;
// What a server has to know to write to the table.
constexpr std::string_view kFeature = "streams";

// What one partition of DynamoDB takes: "Partitions and data distribution" and "Burst and adaptive capacity", developer
// guide.
constexpr int64_t kPartitionReads = 3'000;
constexpr int64_t kPartitionWrites = 1'000;
constexpr int64_t kPartitionBytes = 10LL << 30;
constexpr int64_t kMostShards = 64;

uint32_t next_number(const StreamInfo& stream) { return stream.shards.empty() ? 1 : stream.shards.back().number + 1; }

StreamRow row_of(const TableInfo& table) {
  StreamRow row;
  row.table_id = table.id;
  row.table = table.name;
  row.keys = table.keys;
  row.view_type = table.stream.view_type;
  row.label = table.stream.label;
  row.created_ms = table.stream.created_ms;
  row.shards = table.stream.shards;
  return row;
}

void append_elements(std::string& out, const std::vector<model::KeyElement>& elements) {
  append_varint(out, elements.size());
  for (const auto& element : elements) {
    append_sized(out, element.name);
    out.push_back(static_cast<char>(element.type));
  }
}

bool take_elements(std::string_view& in, std::vector<model::KeyElement>& elements) {
  const auto count = take_varint(in);
  if (!count || *count > in.size()) return false;
  for (uint64_t i = 0; i < *count; ++i) {
    const auto name = take_sized(in);
    const auto type = take_u8(in);
    if (!name || !type || *type > static_cast<uint8_t>(model::Type::kB)) return false;
    elements.push_back({std::string(*name), static_cast<model::Type>(*type)});
  }
  return true;
}

// Of shards that are not as they were, in both topics.
void put_marks(const StreamRow& before, const StreamRow& after, storage::Changes& changes) {
  const auto mark = [&](const StreamShard& shard, ShardMark what) {
    changes.append(topic_of(after.table_id, after.created_ms, shard.number), encode_mark(what));
  };
  for (const StreamShard& shard : before.shards) {
    const StreamShard* now = after.find(shard.number);
    if (shard.closed_ms == 0 && now != nullptr && now->closed_ms != 0) mark(shard, ShardMark::kClosed);
  }
  for (const StreamShard& shard : after.shards) {
    if (before.find(shard.number) == nullptr) mark(shard, ShardMark::kOpened);
  }
}

}  // namespace

bool keeps_new_images(const StreamInfo& stream) {
  return stream.view_type == "NEW_IMAGE" || stream.view_type == "NEW_AND_OLD_IMAGES";
}

bool keeps_old_images(const StreamInfo& stream) {
  return stream.view_type == "OLD_IMAGE" || stream.view_type == "NEW_AND_OLD_IMAGES";
}

const StreamShard* shard_of(const TableInfo& table, const storage::Key& key) {
  std::string_view bytes = key.bytes;
  const auto place = model::take_row_place(bytes);
  PARTITA_CHECK(place.has_value());
  const auto found = std::ranges::find_if(table.stream.shards, [&](const StreamShard& shard) {
    return shard.closed_ms == 0 && shard.first_hash <= place->hash && place->hash <= shard.last_hash;
  });
  return found == table.stream.shards.end() ? nullptr : &*found;
}

std::string topic_of(uint32_t table_id, int64_t created_ms, uint32_t shard) {
  std::string topic = "stream";
  append_u32(topic, table_id);
  append_u64(topic, static_cast<uint64_t>(created_ms));
  append_u32(topic, shard);
  return topic;
}

void begin_stream(TableInfo& table, std::string view_type, int64_t now_ms) {
  StreamInfo& stream = table.stream;
  stream.enabled = true;
  stream.view_type = std::move(view_type);
  stream.created_ms = std::max(now_ms, stream.created_ms + 1);
  stream.label = utc_text(stream.created_ms).data();
  stream.shards.clear();
  stream.tags.clear();
  const size_t count = wanted_shards(table, 0);
  const uint64_t width = UINT64_MAX / count;
  for (size_t i = 0; i < count; ++i) {
    StreamShard shard{.number = static_cast<uint32_t>(i + 1), .opened_ms = stream.created_ms};
    shard.first_hash = i == 0 ? 0 : stream.shards.back().last_hash + 1;
    shard.last_hash = i + 1 == count ? UINT64_MAX : shard.first_hash + width;
    stream.shards.push_back(shard);
  }
  if (std::ranges::find(table.features, kFeature) == table.features.end()) table.features.emplace_back(kFeature);
}

void end_stream(TableInfo& table) {
  table.stream.enabled = false;
  table.stream.view_type.clear();
  table.stream.shards.clear();
  std::erase(table.features, kFeature);
}

void renew_shard(TableInfo& table, uint32_t number, int children, int64_t now_ms) {
  auto& shards = table.stream.shards;
  const auto found = std::ranges::find(shards, number, &StreamShard::number);
  PARTITA_CHECK(found != shards.end() && found->closed_ms == 0);
  found->closed_ms = now_ms;
  StreamShard child{.number = next_number(table.stream),
                    .parent = number,
                    .first_hash = found->first_hash,
                    .last_hash = found->last_hash,
                    .opened_ms = now_ms};
  if (children == 2) {
    StreamShard upper = child;
    child.last_hash = child.first_hash + (child.last_hash - child.first_hash) / 2;
    upper.number = child.number + 1;
    upper.first_hash = child.last_hash + 1;
    shards.push_back(child);
    shards.push_back(upper);
  } else {
    shards.push_back(child);
  }
}

size_t wanted_shards(const TableInfo& table, int64_t bytes) {
  const auto parts = [](int64_t whole, int64_t part) { return (whole + part - 1) / part; };
  const int64_t wanted = std::max({int64_t{1}, parts(table.warm.read_units, kPartitionReads),
                                   parts(table.warm.write_units, kPartitionWrites), parts(bytes, kPartitionBytes)});
  return static_cast<size_t>(std::min(wanted, kMostShards));
}

const StreamShard* StreamRow::find(uint32_t number) const {
  const auto found = std::ranges::find(shards, number, &StreamShard::number);
  return found == shards.end() ? nullptr : &*found;
}

std::string stream_row_prefix(std::string_view table) {
  return system_key(SystemRow::kStream, std::string(table) + '\0').bytes;
}

storage::Key stream_row_key(std::string_view table, std::string_view label) {
  return system_key(SystemRow::kStream, (std::string(table) + '\0').append(label));
}

std::string encode_stream_row(const StreamRow& row) {
  std::string out;
  out.push_back(static_cast<char>(kStreamRowFormat));
  append_u32(out, row.table_id);
  append_sized(out, row.table);
  append_elements(out, row.keys.partition);
  append_elements(out, row.keys.sort);
  append_sized(out, row.view_type);
  append_sized(out, row.label);
  append_u64(out, static_cast<uint64_t>(row.created_ms));
  append_u64(out, static_cast<uint64_t>(row.ended_ms));
  return out + encoded_shards(row.shards);
}

Result<StreamRow> decode_stream_row(std::string_view bytes) {
  const Error damaged(ErrorKind::kCorrupt, "the row of a stream is damaged");
  StreamRow row;
  const auto format = take_u8(bytes);
  const auto table_id = take_u32(bytes);
  const auto table = take_sized(bytes);
  if (format != kStreamRowFormat || !table_id || !table) return damaged;
  if (!take_elements(bytes, row.keys.partition) || !take_elements(bytes, row.keys.sort)) return damaged;
  const auto view_type = take_sized(bytes);
  const auto label = take_sized(bytes);
  const auto created_ms = take_u64(bytes);
  const auto ended_ms = take_u64(bytes);
  if (!view_type || !label || !created_ms || !ended_ms) return damaged;
  row.table_id = *table_id;
  row.table = *table;
  row.view_type = *view_type;
  row.label = *label;
  row.created_ms = static_cast<int64_t>(*created_ms);
  row.ended_ms = static_cast<int64_t>(*ended_ms);
  PARTITA_TRY(row.shards, decoded_shards(bytes));
  return row;
}

void put_stream(const TableInfo& before, const TableInfo& after, int64_t now_ms, storage::Changes& changes) {
  const StreamRow old = before.stream.enabled ? row_of(before) : StreamRow();
  if (before.stream.enabled && after.stream.label == before.stream.label && !after.stream.enabled) {
    StreamRow ended = old;
    ended.ended_ms = now_ms;
    for (StreamShard& shard : ended.shards) {
      if (shard.closed_ms == 0) shard.closed_ms = now_ms;
    }
    put_twice(stream_row_key(ended.table, ended.label), encode_stream_row(ended), changes);
    return put_marks(old, ended, changes);
  }
  if (!after.stream.enabled || after.stream.shards == before.stream.shards) return;
  const StreamRow now = row_of(after);
  put_twice(stream_row_key(now.table, now.label), encode_stream_row(now), changes);
  put_marks(old, now, changes);
}

std::string encoded_shards(const std::vector<StreamShard>& shards) {
  std::string out;
  for (const StreamShard& shard : shards) {
    append_u32(out, shard.number);
    append_u32(out, shard.parent);
    append_u64(out, shard.first_hash);
    append_u64(out, shard.last_hash);
    append_u64(out, static_cast<uint64_t>(shard.opened_ms));
    append_u64(out, static_cast<uint64_t>(shard.closed_ms));
  }
  return out;
}

Result<std::vector<StreamShard>> decoded_shards(std::string_view bytes) {
  std::vector<StreamShard> shards;
  while (!bytes.empty()) {
    const auto number = take_u32(bytes);
    const auto parent = take_u32(bytes);
    const auto first = take_u64(bytes);
    const auto last = take_u64(bytes);
    const auto opened = take_u64(bytes);
    const auto closed = take_u64(bytes);
    if (!number || !parent || !first || !last || !opened || !closed) {
      return Error(ErrorKind::kCorrupt, "the shards of a stream are damaged");
    }
    shards.push_back({*number, *parent, *first, *last, static_cast<int64_t>(*opened), static_cast<int64_t>(*closed)});
  }
  return shards;
}

}  // namespace partita::table
