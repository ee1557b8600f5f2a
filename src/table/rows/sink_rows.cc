#include "table/rows/sink_rows.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "model/item_codec.h"
#include "model/key.h"
#include "storage/ranges.h"
#include "table/rows/field_visitor.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

constexpr uint8_t kSinkFormat = 1;
constexpr int kSliceBits = 2;
static_assert(kSinkSlices == size_t{1} << kSliceBits);

Error damaged_sink() { return Error(ErrorKind::kCorrupt, "the description of a sink is damaged"); }

Error damaged_change() { return Error(ErrorKind::kCorrupt, "an entry of a sink's log is damaged"); }

std::string table_prefix(uint32_t table_id) {
  std::string prefix;
  append_u32(prefix, table_id);
  return prefix;
}

template <class Each, class Of>
void visit_fields(Each& each, Of& sink) {
  each("authority", sink.authority_file);
  each("backlog", sink.max_backlog_bytes);
  each("because", sink.filled_because);
  each("changes", sink.changes);
  each("created", sink.created_ms);
  each("credentials", sink.credentials_file);
  each("dead_letters", sink.dead_letters);
  each("deletes_index", sink.deletes_index);
  each("deleting", sink.deleting);
  each("dropped", sink.dropped);
  each("failure", sink.failure);
  each("fields", sink.fields);
  each("filter", sink.filter);
  each("filter_names", sink.filter_names);
  each("filter_values", sink.filter_values);
  each("flat", sink.flat);
  each("generation", sink.generation);
  each("id", sink.id);
  each("index", sink.index);
  each("name", sink.name);
  each("number", sink.number);
  each("options", sink.options);
  each("owner", sink.owner);
  each("paused", sink.paused);
  each("retries", sink.retries);
  each("rolled_back", sink.rolled_back_ms);
  each("table", sink.table);
  each("table_id", sink.table_id);
  each("url", sink.url);
}

}  // namespace

void note_sinks(TableInfo& table) {
  std::erase(table.features, kSinkFeature);
  std::erase(table.features, kChangeSinkFeature);
  if (!table.sinks.empty()) table.features.emplace_back(kSinkFeature);
  if (!table.change_sinks.empty()) table.features.emplace_back(kChangeSinkFeature);
}

size_t sink_slice(std::string_view key) {
  const auto place = model::take_row_place(key);
  PARTITA_CHECK(place.has_value());
  return place->hash >> (64 - kSliceBits);
}

std::string sink_topic(uint32_t table_id, uint16_t number, size_t slice) {
  std::string topic = "sink";
  append_u32(topic, table_id);
  append_u16(topic, number);
  topic.push_back(static_cast<char>(slice));
  return topic;
}

std::string encode_sink_entry(const SinkEntry& entry) {
  std::string bytes;
  bytes.reserve(sizeof(uint64_t) + entry.key.size());
  append_u64(bytes, static_cast<uint64_t>(entry.at_ms));
  bytes.append(entry.key);
  return bytes;
}

std::optional<SinkEntry> sink_entry_from(std::string_view bytes) {
  const auto at_ms = take_u64(bytes);
  if (!at_ms || bytes.size() <= model::kRowPlaceBytes) return std::nullopt;
  return SinkEntry{static_cast<int64_t>(*at_ms), bytes};
}

std::string encode_change_entry(const ChangeEntry& entry) {
  const std::string record = encode_record(entry.record);
  std::string bytes;
  bytes.reserve(sizeof(uint64_t) + 2 * sizeof(uint16_t) + entry.key.size() + record.size());
  append_u64(bytes, static_cast<uint64_t>(entry.record.at_ms));
  append_sized(bytes, entry.key);
  bytes.append(record);
  return bytes;
}

Result<ChangeEntry> change_entry_from(std::string_view bytes) {
  const auto at_ms = take_u64(bytes);
  const auto key = take_sized(bytes);
  if (!at_ms || !key || key->size() <= model::kRowPlaceBytes) return damaged_change();
  PARTITA_TRY(const StreamEntry entry, decode_entry(bytes));
  const auto* const record = std::get_if<ItemRecord>(&entry);
  if (record == nullptr) return damaged_change();
  return ChangeEntry{*key, *record};
}

std::optional<int64_t> sink_entry_time(std::string_view bytes) {
  const auto at_ms = take_u64(bytes);
  return at_ms ? std::optional(static_cast<int64_t>(*at_ms)) : std::nullopt;
}

storage::Key sink_row_key(uint32_t table_id, uint16_t number) {
  std::string rest = table_prefix(table_id);
  append_u16(rest, number);
  return system_key(SystemRow::kSink, rest);
}

storage::Range sink_rows(uint32_t table_id) {
  return storage::range_of(system_key(SystemRow::kSink, table_prefix(table_id)).bytes);
}

storage::Range second_sink_rows(uint32_t table_id) {
  return storage::range_of(second_copy(system_key(SystemRow::kSink, table_prefix(table_id))).bytes);
}

std::string sink_row(const Sink& sink) {
  FieldWriter fields;
  visit_fields(fields, sink);
  std::string row(1, static_cast<char>(kSinkFormat));
  return row + model::encode_item(fields.item());
}

Result<Sink> sink_from(std::string_view row) {
  if (take_u8(row) != kSinkFormat) return damaged_sink();
  PARTITA_TRY(const model::Item item, model::decode_item(row));
  FieldReader fields(item);
  Sink sink;
  visit_fields(fields, sink);
  if (!fields.sound() || sink.name.empty() || sink.number == 0 || sink.id.empty()) return damaged_sink();
  return sink;
}

bool is_sink_name(std::string_view name) {
  constexpr size_t kMostNameBytes = 64;
  constexpr std::string_view kNameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  return !name.empty() && name.size() <= kMostNameBytes && name.find_first_not_of(kNameBytes) == std::string_view::npos;
}

}  // namespace partita::table
