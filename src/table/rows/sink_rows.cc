#include "table/rows/sink_rows.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "model/item_codec.h"
#include "model/key.h"
#include "storage/ranges.h"
#include "table/rows/item_fields.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using model::AttributeMap;
using model::AttributeValue;

constexpr uint8_t kSinkFormat = 1;
constexpr int kSliceBits = 2;
static_assert(kSinkSlices == size_t{1} << kSliceBits);

Error damaged_sink() { return Error(ErrorKind::kCorrupt, "the description of a sink is damaged"); }

AttributeValue sink_text(std::string value) { return AttributeValue::string(std::move(value)); }
AttributeValue sink_number(int64_t value) { return AttributeValue::number(model::Number::of(value)); }

std::string table_prefix(uint32_t table_id) {
  std::string prefix;
  append_u32(prefix, table_id);
  return prefix;
}

}  // namespace

void note_sinks(TableInfo& table) {
  std::erase(table.features, kSinkFeature);
  if (!table.sinks.empty()) table.features.emplace_back(kSinkFeature);
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
  AttributeMap item;
  item.set("authority", sink_text(sink.authority_file));
  item.set("backlog", sink_number(sink.max_backlog_bytes));
  item.set("because", sink_text(sink.filled_because));
  item.set("created", sink_number(sink.created_ms));
  item.set("credentials", sink_text(sink.credentials_file));
  item.set("dead_letters", sink_text(sink.dead_letters));
  item.set("deletes_index", AttributeValue::boolean(sink.deletes_index));
  item.set("deleting", AttributeValue::boolean(sink.deleting));
  item.set("failure", sink_text(sink.failure));
  AttributeValue::List fields;
  for (const std::string& field : sink.fields) fields.push_back(sink_text(field));
  item.set("fields", AttributeValue::list(std::move(fields)));
  item.set("filter", sink_text(sink.filter));
  AttributeMap names;
  for (const auto& [key, name] : sink.filter_names) names.set(key, sink_text(name));
  item.set("filter_names", AttributeValue::map(std::move(names)));
  item.set("filter_values", AttributeValue::map(sink.filter_values));
  item.set("flat", AttributeValue::boolean(sink.flat));
  item.set("generation", sink_number(static_cast<int64_t>(sink.generation)));
  item.set("id", sink_text(sink.id));
  item.set("index", sink_text(sink.index));
  item.set("name", sink_text(sink.name));
  item.set("number", sink_number(sink.number));
  item.set("paused", AttributeValue::boolean(sink.paused));
  item.set("retries", sink_number(static_cast<int64_t>(sink.retries)));
  item.set("rolled_back", sink_number(sink.rolled_back_ms));
  item.set("table", sink_text(sink.table));
  item.set("table_id", sink_number(sink.table_id));
  item.set("url", sink_text(sink.url));
  std::string row(1, static_cast<char>(kSinkFormat));
  return row + model::encode_item(item);
}

Result<Sink> sink_from(std::string_view row) {
  if (take_u8(row) != kSinkFormat) return damaged_sink();
  PARTITA_TRY(const model::Item item, model::decode_item(row));
  ItemFields in(item);
  Sink sink;
  in.take("authority", sink.authority_file);
  in.take("backlog", sink.max_backlog_bytes);
  in.take("because", sink.filled_because);
  in.take("created", sink.created_ms);
  in.take("credentials", sink.credentials_file);
  in.take("dead_letters", sink.dead_letters);
  in.take("deletes_index", sink.deletes_index);
  in.take("deleting", sink.deleting);
  in.take("failure", sink.failure);
  in.take("fields", sink.fields);
  in.take("filter", sink.filter);
  if (const auto* names = in.find("filter_names", model::Type::kM)) {
    for (const auto& [key, name] : names->as_map()) {
      in.require(name.is(model::Type::kS));
      if (name.is(model::Type::kS)) sink.filter_names.emplace_back(key, name.as_string());
    }
  }
  if (const auto* values = in.find("filter_values", model::Type::kM)) sink.filter_values = values->as_map();
  in.take("flat", sink.flat);
  in.take("generation", sink.generation);
  in.take("id", sink.id);
  in.take("index", sink.index);
  in.take("name", sink.name);
  in.take("number", sink.number);
  in.take("paused", sink.paused);
  in.take("retries", sink.retries);
  in.take("rolled_back", sink.rolled_back_ms);
  in.take("table", sink.table);
  in.take("table_id", sink.table_id);
  in.take("url", sink.url);
  if (!in.sound() || sink.name.empty() || sink.number == 0 || sink.id.empty()) return damaged_sink();
  return sink;
}

bool is_sink_name(std::string_view name) {
  constexpr size_t kMostNameBytes = 64;
  constexpr std::string_view kNameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  return !name.empty() && name.size() <= kMostNameBytes && name.find_first_not_of(kNameBytes) == std::string_view::npos;
}

}  // namespace partita::table
