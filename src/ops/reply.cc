#include "ops/reply.h"

namespace partita::ops {

namespace {

using api::Capacity;
using wire::JsonWriter;

void write_units(JsonWriter& json, std::string_view name, model::HalfUnits half_units) {
  json.member(name, static_cast<double>(half_units) / 2);
}

void write_shares(JsonWriter& json, const Capacity& capacity, CapacityKind kind) {
  if (kind == CapacityKind::kTransactionRead) write_units(json, "ReadCapacityUnits", capacity.total());
  if (kind == CapacityKind::kTransactionWrite) write_units(json, "WriteCapacityUnits", capacity.total());
  write_units(json, "CapacityUnits", capacity.total());
}

void write_indexes(JsonWriter& json, std::string_view name, const std::map<std::string, Capacity, std::less<>>& indexes,
                   CapacityKind kind) {
  if (indexes.empty()) return;
  json.begin_object(name);
  for (const auto& [index, capacity] : indexes) {
    json.begin_object(index);
    write_shares(json, capacity, kind);
    json.end_object();
  }
  json.end_object();
}

void write_vector_bytes(JsonWriter& json, const std::map<std::string, int64_t, std::less<>>& indexes) {
  if (indexes.empty()) return;
  json.begin_object("VectorIndexes");
  for (const auto& [index, bytes] : indexes) {
    json.begin_object(index);
    json.member("VectorWriteRequestBytes", static_cast<double>(bytes));
    json.end_object();
  }
  json.end_object();
}

}  // namespace

void write_capacity(JsonWriter& json, const api::ConsumedCapacity& consumed, CapacityDetail detail, CapacityKind kind) {
  json.begin_object();
  json.member("TableName", consumed.table);
  write_shares(json, consumed.total(), kind);
  if (detail == CapacityDetail::kIndexes) {
    json.begin_object("Table");
    write_shares(json, consumed.base, kind);
    json.end_object();
    write_indexes(json, "LocalSecondaryIndexes", consumed.local_indexes, kind);
    write_indexes(json, "GlobalSecondaryIndexes", consumed.global_indexes, kind);
    write_vector_bytes(json, consumed.vector_bytes);
  }
  json.end_object();
}

void write_time(JsonWriter& json, std::string_view name, int64_t ms) {
  json.member(name, static_cast<double>(ms) / 1000);
}

void write_capacity_member(JsonWriter& json, const api::ConsumedCapacity& consumed, CapacityDetail detail) {
  if (detail == CapacityDetail::kNone) return;
  json.key("ConsumedCapacity");
  write_capacity(json, consumed, detail);
}

void write_capacity_list(JsonWriter& json, const std::vector<api::ConsumedCapacity>& consumed, CapacityDetail detail,
                         CapacityKind kind) {
  if (detail == CapacityDetail::kNone) return;
  json.begin_array("ConsumedCapacity");
  for (const auto& one : consumed) write_capacity(json, one, detail, kind);
  json.end_array();
}

Result<void> write_found(JsonWriter& json, const api::FoundItem& item) {
  if (const auto* stored = std::get_if<std::string>(&item)) return json.write_encoded_item(*stored);
  if (const auto* stored = std::get_if<std::string_view>(&item)) return json.write_encoded_item(*stored);
  json.write_item(std::get<model::Item>(item));
  return {};
}

Task<Result<void>> write_items(JsonWriter& json, std::span<const api::FoundItem> items) {
  YieldBudget budget(YieldBudget::Start::kBegun);
  const auto write = [&json](const api::FoundItem& item) { return write_found(json, item); };
  co_return co_await write_each(json, budget, items, write);
}

void write_collection_metrics(JsonWriter& json, const api::ItemCollection& collection) {
  const api::SizeRange range = api::size_range(collection);
  json.begin_object();
  json.key("ItemCollectionKey");
  json.write_item(collection.key);
  json.begin_array("SizeEstimateRangeGB");
  json.number(range.lower);
  json.number(range.upper);
  json.end_array();
  json.end_object();
}

}  // namespace partita::ops
