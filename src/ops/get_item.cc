#include "ops/handlers.h"
#include "ops/request.h"
#include "table/read.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

Result<table::ReadKeys> decode(wire::JsonValue body) {
  table::ReadKeys request;
  PARTITA_TRY_VOID(check_forms(body, {{"ProjectionExpression"}, {"AttributesToGet"}}));
  PARTITA_TRY(model::Item key, wire::decode_item(body.get("Key")));
  request.keys.push_back(std::move(key));
  PARTITA_TRY(request.projection, attributes_to_get(body));
  PARTITA_TRY(expr::Placeholders given, placeholders(body));
  if (!request.projection) {
    PARTITA_TRY(request.projection, projection(body, given));
  }
  PARTITA_TRY_VOID(given.check_all_used());
  request.consistent = flag(body, "ConsistentRead");
  return request;
}

Result<std::string> encode(wire::JsonValue body, const table::TableInfo& table,
                           const std::vector<table::ReadItem>& items) {
  wire::JsonWriter json;
  json.begin_object();
  if (items[0].item) {
    json.key("Item");
    PARTITA_TRY_VOID(write_found(json, *items[0].item));
  }
  const CapacityDetail detail = capacity_detail(body);
  if (detail != CapacityDetail::kNone) {
    write_capacity_member(json, table::read_charge(table, items, flag(body, "ConsistentRead")), detail);
  }
  json.end_object();
  return std::move(json).take();
}

}  // namespace

Task<Result<std::string>> get_item(const Context& context, wire::JsonValue body) {
  PARTITA_CO_TRY(table::ReadKeys request, decode(body));
  PARTITA_CO_TRY(const table::Table table, ready_table(body, context));
  request.table = table;
  if (request.projection) {
    PARTITA_CO_TRY_VOID(table::check_scalar_keys(*table, request.projection->nested_attributes()));
  }
  PARTITA_CO_TRY_VOID(table::check_key(*table, request.keys[0]));
  auto items = co_await table::read_items(context.database, std::move(request));
  if (!items.ok()) co_return std::move(items).error();
  co_return encode(body, *table, *items);
}

}  // namespace partita::ops
