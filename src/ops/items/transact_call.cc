#include "ops/items/transact_call.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"

namespace partita::ops {

namespace {

using wire::JsonValue;

// {table: [...]}, when there is any; `collections` come sorted by table.
void write_collections(wire::JsonWriter& json, const std::vector<api::ItemCollection>& collections) {
  if (collections.empty()) return;
  json.begin_object("ItemCollectionMetrics");
  const std::string* open = nullptr;
  for (const api::ItemCollection& collection : collections) {
    if (open == nullptr || *open != collection.table) {
      if (open != nullptr) json.end_array();
      open = &collection.table;
      json.begin_array(*open);
    }
    write_collection_metrics(json, collection);
  }
  json.end_array();
  json.end_object();
}

void append_canonical(JsonValue value, std::string& out);

// A set has no order.
void append_set(JsonValue members, std::string& out) {
  std::vector<std::string> texts;
  for (const JsonValue member : members.elements()) append_canonical(member, texts.emplace_back());
  std::ranges::sort(texts);
  append_varint(out, texts.size());
  for (const auto& text : texts) out += text;
}

bool is_set(std::string_view name, JsonValue value) {
  return (name == "NS" || name == "SS" || name == "BS") && value.is(JsonValue::Kind::kArray);
}

// The JSON of a value in one fixed form, so that two requests that say the same have the same digest.
void append_canonical(JsonValue value, std::string& out) {
  out.push_back(static_cast<char>('0' + static_cast<int>(value.kind())));
  switch (value.kind()) {
    case JsonValue::Kind::kNull:
      return;
    case JsonValue::Kind::kBoolean:
      out.push_back(value.as_boolean() ? '1' : '0');
      return;
    case JsonValue::Kind::kInteger:
    case JsonValue::Kind::kDecimal:
      append_u64(out, static_cast<uint64_t>(value.as_integer()));
      return;
    case JsonValue::Kind::kString:
      append_sized(out, value.as_string());
      return;
    case JsonValue::Kind::kArray:
      append_varint(out, value.size());
      for (const JsonValue element : value.elements()) append_canonical(element, out);
      return;
    case JsonValue::Kind::kObject: {
      std::map<std::string_view, JsonValue> sorted;
      for (const auto& [name, member] : value.members()) sorted[name] = member;
      std::erase_if(sorted, [](const auto& member) { return !member.second.present(); });  // absent, to DynamoDB
      append_varint(out, sorted.size());
      for (const auto& [name, member] : sorted) {
        append_sized(out, name);
        if (is_set(name, member)) {
          append_set(member, out);
        } else {
          append_canonical(member, out);
        }
      }
      return;
    }
  }
}

}  // namespace

std::string canonical_text(JsonValue value) {
  std::string canonical;
  append_canonical(value, canonical);
  return canonical;
}

std::string digest(JsonValue value) {
  const std::string canonical = canonical_text(value);
  std::string out;
  append_u64(out, hash64(canonical));
  append_u64(out, hash64("partita" + canonical));
  return out;
}

Task<Result<void>> write_found_items(wire::JsonWriter& json, const api::TransactGetReply& reply,
                                     CapacityDetail detail) {
  std::vector<api::ConsumedCapacity> sums;
  for (const auto& consumed : reply.consumed) add_by_table(sums, consumed);
  write_capacity_list(json, sums, detail, CapacityKind::kTransactionRead);
  json.begin_array("Responses");
  YieldBudget budget(YieldBudget::Start::kBegun);
  const auto write = [&json](const api::ReadItem& item) -> Result<void> {
    json.begin_object();
    if (is_shown(item)) {
      json.key("Item");
      PARTITA_TRY_VOID(write_found(json, *item.item));
    }
    json.end_object();
    return {};
  };
  PARTITA_CO_TRY_VOID(co_await write_each(json, budget, reply.items, write));
  json.end_array();
  co_return Result<void>();
}

void write_costs(wire::JsonWriter& json, const api::WritesReply& reply, CapacityDetail detail, CapacityKind kind) {
  if (detail != CapacityDetail::kNone) {
    std::vector<api::ConsumedCapacity> sums;
    for (const auto& written : reply.written) {
      if (!written.consumed.table.empty()) add_by_table(sums, written.consumed);
    }
    write_capacity_list(json, sums, detail, reply.repeated ? CapacityKind::kTransactionRead : kind);
  }
  write_collections(json, reply.collections);
}

}  // namespace partita::ops
