#include <algorithm>
#include <type_traits>
#include <utility>

#include "table/rows/item_fields.h"
#include "table/rows/schema.h"
#include "table/rows/stream_rows.h"

namespace partita::table {

namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::KeyElement;
using model::Number;

AttributeValue text(std::string value) { return AttributeValue::string(std::move(value)); }
AttributeValue whole(int64_t value) { return AttributeValue::number(Number::of(value)); }
AttributeValue flag(bool value) { return AttributeValue::boolean(value); }

AttributeValue from_numbers(const std::vector<uint16_t>& numbers) {
  AttributeValue::List list;
  for (const uint16_t number : numbers) list.push_back(whole(number));
  return AttributeValue::list(std::move(list));
}

AttributeValue from_elements(const std::vector<KeyElement>& elements) {
  AttributeValue::List list;
  for (const auto& element : elements) {
    AttributeMap map;
    map.set("name", text(element.name));
    map.set("type", whole(static_cast<int64_t>(element.type)));
    list.push_back(AttributeValue::map(std::move(map)));
  }
  return AttributeValue::list(std::move(list));
}

AttributeValue from_throughput(const Throughput& throughput) {
  AttributeMap map;
  map.set("decrease", whole(throughput.last_decrease_ms));
  map.set("decreases", whole(throughput.decreases_today));
  map.set("increase", whole(throughput.last_increase_ms));
  if (throughput.next) {
    map.set("next_decreases", whole(throughput.next_decreases));
    map.set("next_due", whole(throughput.next->due_ms));
    map.set("next_read", whole(throughput.next->value.read));
    map.set("next_write", whole(throughput.next->value.write));
  }
  map.set("read", whole(throughput.read_units));
  map.set("write", whole(throughput.write_units));
  return AttributeValue::map(std::move(map));
}

template <class Owner>
void put_limits(AttributeMap& map, const Owner& owner) {
  if (owner.on_demand.max_read_units) map.set("max_read", whole(*owner.on_demand.max_read_units));
  if (owner.on_demand.max_write_units) map.set("max_write", whole(*owner.on_demand.max_write_units));
  map.set("max_settles", whole(owner.limits_settle_at_ms));
  map.set("warm_read", whole(owner.warm.read_units));
  map.set("warm_write", whole(owner.warm.write_units));
  if (owner.next_warm) {
    map.set("next_warm_due", whole(owner.next_warm->due_ms));
    map.set("next_warm_read", whole(owner.next_warm->value.read_units));
    map.set("next_warm_write", whole(owner.next_warm->value.write_units));
  }
}

template <class Owner>
void put_insights(AttributeMap& map, const Owner& owner) {
  if (!owner.insights) return;
  map.set("insights", flag(owner.insights->enabled));
  map.set("insights_began", whole(owner.insights->began_ms));
  map.set("insights_changed", whole(owner.insights->changed_ms));
  if (owner.insights->failed) map.set("insights_failed", flag(true));
  map.set("insights_throttled", flag(owner.insights->throttled_only));
}

AttributeValue from_tags(const Tags& tags) {
  AttributeMap map;
  for (const auto& [name, value] : tags) map.set(name, text(value));
  return AttributeValue::map(std::move(map));
}

AttributeValue from_vector(const VectorSchema& vector) {
  AttributeMap map;
  map.set("attribute", text(vector.attribute));
  map.set("dimensions", whole(vector.dimensions));
  map.set("distance", whole(static_cast<int64_t>(vector.distance)));
  AttributeValue::List search;
  for (const auto& element : vector.search) {
    AttributeMap one;
    one.set("hash", flag(element.hash));
    one.set("name", text(element.attribute.name));
    one.set("type", whole(static_cast<int64_t>(element.attribute.type)));
    search.push_back(AttributeValue::map(std::move(one)));
  }
  map.set("search", AttributeValue::list(std::move(search)));
  return AttributeValue::map(std::move(map));
}

AttributeValue from_index(const IndexInfo& index) {
  AttributeMap map;
  map.set("backfilling", flag(index.backfilling));
  map.set("global", flag(index.global));
  map.set("id", whole(index.id));
  map.set("name", text(index.name));
  map.set("partition", from_elements(index.keys.partition));
  map.set("projection", whole(static_cast<int64_t>(index.projection.kind)));
  AttributeValue::List projected;
  for (const auto& name : index.projection.attributes) projected.push_back(text(name));
  map.set("projected", AttributeValue::list(std::move(projected)));
  map.set("settles", whole(index.settles_at_ms));
  map.set("sort", from_elements(index.keys.sort));
  map.set("status", whole(static_cast<int64_t>(index.status)));
  map.set("throughput", from_throughput(index.throughput));
  put_limits(map, index);
  put_insights(map, index);
  if (index.vector) map.set("vector", from_vector(*index.vector));
  return AttributeValue::map(std::move(map));
}

// The last of each enumeration that is stored by its number.
constexpr Status last_of(Status) { return Status::kDeleting; }
constexpr api::ProjectionKind last_of(api::ProjectionKind) { return api::ProjectionKind::kInclude; }
constexpr api::BillingMode last_of(api::BillingMode) { return api::BillingMode::kPayPerRequest; }
constexpr api::Distance last_of(api::Distance) { return api::Distance::kDotProduct; }
constexpr TableJob last_of(TableJob) { return TableJob::kIndex; }
constexpr model::Type last_of(model::Type) { return model::Type::kB; }  // of a key

class Fields : public ItemFields {
 public:
  using ItemFields::ItemFields;
  using ItemFields::take;

  template <class Enum>
    requires std::is_enum_v<Enum>
  void take(std::string_view name, Enum& out) {
    take(name, out, last_of(out));
  }
  void take(std::string_view name, std::vector<KeyElement>& out) {
    each(name, [&](const AttributeValue& value) {
      Fields fields(value.as_map());
      KeyElement element;
      fields.take("name", element.name);
      fields.take("type", element.type);
      out.push_back(std::move(element));
      require(fields.sound());
    });
  }
  void take(std::string_view name, std::vector<uint16_t>& out) {
    const auto* value = find(name, model::Type::kL);
    if (value == nullptr) return;
    for (const auto& member : value->as_list()) {
      const auto number = member.is(model::Type::kN) ? member.as_number().to_int64() : std::nullopt;
      const bool fits = number && std::in_range<uint16_t>(*number);
      require(fits);
      if (fits) out.push_back(static_cast<uint16_t>(*number));
    }
  }
  void take(std::string_view name, Throughput& out) {
    const auto* value = find(name, model::Type::kM);
    if (value == nullptr) return;
    Fields fields(value->as_map());
    fields.take("decrease", out.last_decrease_ms);
    fields.take("decreases", out.decreases_today);
    fields.take("increase", out.last_increase_ms);
    if (value->as_map().contains("next_due")) {
      out.next.emplace();
      fields.take("next_decreases", out.next_decreases);
      fields.take("next_due", out.next->due_ms);
      fields.take("next_read", out.next->value.read);
      fields.take("next_write", out.next->value.write);
    }
    fields.take("read", out.read_units);
    fields.take("write", out.write_units);
    require(fields.sound());
  }
  void take(std::string_view name, Tags& out) {
    const auto* value = find(name, model::Type::kM);
    if (value == nullptr) return;
    for (const auto& [key, tag] : value->as_map()) {
      if (tag.is(model::Type::kS)) out[key] = tag.as_string();
    }
  }
  void take(std::string_view name, VectorSchema& out) {
    Fields fields(find(name, model::Type::kM)->as_map());
    fields.take("attribute", out.attribute);
    fields.take("dimensions", out.dimensions);
    fields.take("distance", out.distance);
    fields.each("search", [&](const AttributeValue& value) {
      Fields one(value.as_map());
      SearchElement element;
      one.take("hash", element.hash);
      one.take("name", element.attribute.name);
      one.take("type", element.attribute.type);
      out.search.push_back(std::move(element));
      require(one.sound());
    });
    require(fields.sound() && out.dimensions != 0);
  }
  template <class Owner>
  void take_limits(Owner& owner) {
    take("max_read", owner.on_demand.max_read_units);
    take("max_write", owner.on_demand.max_write_units);
    take("max_settles", owner.limits_settle_at_ms);
    take("warm_read", owner.warm.read_units);
    take("warm_write", owner.warm.write_units);
    if (!has("next_warm_due")) return;
    owner.next_warm.emplace();
    take("next_warm_due", owner.next_warm->due_ms);
    take("next_warm_read", owner.next_warm->value.read_units);
    take("next_warm_write", owner.next_warm->value.write_units);
  }
  template <class Owner>
  void take_insights(Owner& owner) {
    if (find("insights", model::Type::kBool) == nullptr) return;
    owner.insights.emplace();
    take("insights", owner.insights->enabled);
    take("insights_began", owner.insights->began_ms);
    take("insights_changed", owner.insights->changed_ms);
    take("insights_failed", owner.insights->failed);
    take("insights_throttled", owner.insights->throttled_only);
  }
  // Calls `use` with each member of a list of maps.
  template <class Use>
  void each(std::string_view name, Use use) {
    const auto* value = find(name, model::Type::kL);
    if (value == nullptr) return;
    for (const auto& member : value->as_list()) {
      if (!member.is(model::Type::kM)) {
        require(false);
        return;
      }
      use(member);
    }
  }
};

IndexInfo index_from(const AttributeMap& map, bool& sound) {
  Fields fields(map);
  IndexInfo index;
  fields.take("backfilling", index.backfilling);
  fields.take("global", index.global);
  fields.take("id", index.id);
  fields.take("name", index.name);
  fields.take("partition", index.keys.partition);
  fields.take("projection", index.projection.kind);
  fields.take("projected", index.projection.attributes);
  fields.take("settles", index.settles_at_ms);
  fields.take("sort", index.keys.sort);
  fields.take("status", index.status);
  fields.take("throughput", index.throughput);
  fields.take_limits(index);
  fields.take_insights(index);
  if (fields.find("vector", model::Type::kM) != nullptr) fields.take("vector", index.vector.emplace());
  sound &= fields.sound();
  return index;
}

AttributeValue from_kinesis(const KinesisStream& stream) {
  AttributeMap map;
  map.set("arn", text(stream.arn));
  map.set("changed", whole(stream.changed_ms));
  map.set("failure", text(stream.failure));
  map.set("precision", text(stream.precision));
  map.set("sink", whole(stream.sink));
  map.set("updating", flag(stream.updating));
  return AttributeValue::map(std::move(map));
}

KinesisStream kinesis_from(const model::AttributeMap& map, bool& sound) {
  Fields fields(map);
  KinesisStream stream;
  fields.take("arn", stream.arn);
  fields.take("changed", stream.changed_ms);
  fields.take("failure", stream.failure);
  fields.take("precision", stream.precision);
  fields.take("sink", stream.sink);
  fields.take("updating", stream.updating);
  sound &= fields.sound();
  return stream;
}

void put_settings(AttributeMap& item, const TableInfo& table) {
  put_limits(item, table);
  put_insights(item, table);
  item.set("protected", flag(table.deletion_protection));
  item.set("class", text(table.table_class));
  item.set("class_changed", whole(table.table_class_changed_ms));
  item.set("class_changed_before", whole(table.table_class_changed_before_ms));
  item.set("next_class", text(table.next_table_class));
  item.set("replication", text(table.replication_mode));
  item.set("stream", flag(table.stream.enabled));
  item.set("stream_created", whole(table.stream.created_ms));
  item.set("stream_label", text(table.stream.label));
  item.set("stream_shards", AttributeValue::binary(encoded_shards(table.stream.shards)));
  item.set("stream_view", text(table.stream.view_type));
  if (table.encryption) {
    item.set("kms", flag(table.encryption->kms));
    item.set("kms_key", text(table.encryption->key));
  }
  if (table.next_encryption) {
    item.set("next_kms", flag(table.next_encryption->value.kms));
    item.set("next_kms_due", whole(table.next_encryption->due_ms));
    item.set("next_kms_key", text(table.next_encryption->value.key));
  }
  if (table.ttl) {
    item.set("ttl_attribute", text(table.ttl->attribute));
    item.set("ttl_run", whole(static_cast<int64_t>(table.ttl->run)));
  }
  item.set("ttl_changed", whole(table.ttl_changed_ms));
  item.set("tags", from_tags(table.tags));
  item.set("stream_tags", from_tags(table.stream.tags));
  if (table.tags_in_flight) {
    item.set("tags_written", from_tags(table.tags_in_flight->value));
    item.set("tags_written_due", whole(table.tags_in_flight->due_ms));
  }
}

void take_settings(Fields& fields, TableInfo& table) {
  fields.take_limits(table);
  fields.take_insights(table);
  fields.take("protected", table.deletion_protection);
  fields.take("class", table.table_class);
  fields.take("class_changed", table.table_class_changed_ms);
  fields.take("class_changed_before", table.table_class_changed_before_ms);
  fields.take("next_class", table.next_table_class);
  fields.take("replication", table.replication_mode);
  fields.take("stream", table.stream.enabled);
  fields.take("stream_created", table.stream.created_ms);
  fields.take("stream_label", table.stream.label);
  if (const auto* shards = fields.find("stream_shards", model::Type::kB)) {
    auto decoded = decoded_shards(shards->as_bytes());
    if (!decoded.ok()) fields.require(false);
    if (decoded.ok()) table.stream.shards = std::move(decoded).value();
  }
  fields.take("stream_view", table.stream.view_type);
  if (fields.find("kms", model::Type::kBool) != nullptr) {
    table.encryption.emplace();
    fields.take("kms", table.encryption->kms);
    fields.take("kms_key", table.encryption->key);
  }
  if (fields.find("next_kms", model::Type::kBool) != nullptr) {
    table.next_encryption.emplace();
    fields.take("next_kms", table.next_encryption->value.kms);
    fields.take("next_kms_due", table.next_encryption->due_ms);
    fields.take("next_kms_key", table.next_encryption->value.key);
  }
  if (fields.find("ttl_attribute", model::Type::kS) != nullptr) {
    table.ttl.emplace();
    fields.take("ttl_attribute", table.ttl->attribute);
    fields.take("ttl_run", table.ttl->run);
  }
  fields.take("ttl_changed", table.ttl_changed_ms);
  fields.take("tags", table.tags);
  fields.take("stream_tags", table.stream.tags);
  if (fields.find("tags_written", model::Type::kM) != nullptr) {
    table.tags_in_flight.emplace();
    fields.take("tags_written", table.tags_in_flight->value);
    fields.take("tags_written_due", table.tags_in_flight->due_ms);
  }
}

// What older entries did not store or sort.
void complete(TableInfo& table) {
  std::ranges::sort(table.attribute_definitions, {}, &KeyElement::name);
  if (table.warm.read_units == 0) table.warm = initial_warmth(table.billing_mode, table.throughput);
  for (auto& index : table.indexes) {
    if (!index.is_global_secondary() || index.warm.read_units != 0) continue;
    index.warm = initial_warmth(table.billing_mode, index.throughput);
  }
}

}  // namespace

model::Item to_item(const TableInfo& table) {
  model::Item item;
  item.set("billing", whole(static_cast<int64_t>(table.billing_mode)));
  item.set("billing_changed", whole(table.billing_changed_ms));
  item.set("created", whole(table.created_ms));
  item.set("definitions", from_elements(table.attribute_definitions));
  item.set("id", whole(table.id));
  AttributeValue::List indexes;
  for (const auto& index : table.indexes) indexes.push_back(from_index(index));
  item.set("indexes", AttributeValue::list(std::move(indexes)));
  item.set("job", whole(static_cast<int64_t>(table.job)));
  item.set("name", text(table.name));
  item.set("next_index", whole(table.next_index_id));
  item.set("partition", from_elements(table.keys.partition));
  item.set("revision", whole(static_cast<int64_t>(table.revision)));
  item.set("settles", whole(table.settles_at_ms));
  if (table.next_sink > 1) {
    item.set("sinks", from_numbers(table.sinks));
    if (!table.change_sinks.empty()) item.set("change_sinks", from_numbers(table.change_sinks));
    item.set("next_sink", whole(table.next_sink));
  }
  if (!table.kinesis.empty()) {
    AttributeValue::List streams;
    for (const KinesisStream& stream : table.kinesis) streams.push_back(from_kinesis(stream));
    item.set("kinesis", AttributeValue::list(std::move(streams)));
  }
  item.set("sort", from_elements(table.keys.sort));
  item.set("status", whole(static_cast<int64_t>(table.status)));
  item.set("throughput", from_throughput(table.throughput));
  item.set("uuid", text(table.uuid));
  put_settings(item, table);
  return item;
}

Result<TableInfo> table_from_item(const model::Item& item) {
  Fields fields(item);
  TableInfo table;
  fields.take("billing", table.billing_mode);
  fields.take("billing_changed", table.billing_changed_ms);
  fields.take("created", table.created_ms);
  fields.take("definitions", table.attribute_definitions);
  fields.take("id", table.id);
  bool sound = true;
  fields.each("indexes", [&](const AttributeValue& map) { table.indexes.push_back(index_from(map.as_map(), sound)); });
  fields.take("job", table.job);
  fields.each("kinesis",
              [&](const AttributeValue& map) { table.kinesis.push_back(kinesis_from(map.as_map(), sound)); });
  fields.take("name", table.name);
  fields.take("next_index", table.next_index_id);
  fields.take("next_sink", table.next_sink);
  fields.take("partition", table.keys.partition);
  fields.take("revision", table.revision);
  fields.take("settles", table.settles_at_ms);
  fields.take("sort", table.keys.sort);
  fields.take("status", table.status);
  fields.take("throughput", table.throughput);
  fields.take("uuid", table.uuid);
  take_settings(fields, table);
  fields.take("sinks", table.sinks);
  fields.take("change_sinks", table.change_sinks);
  for (const uint16_t number : table.change_sinks) sound = sound && std::ranges::count(table.sinks, number) == 1;
  if (!sound || !fields.sound() || table.name.empty() || table.keys.partition.empty()) {
    return Error(ErrorKind::kCorrupt, "a table's entry in the catalogue is damaged");
  }
  complete(table);
  return table;
}

}  // namespace partita::table
