#include <algorithm>

#include "ops/handlers.h"
#include "ops/transact_call.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using wire::JsonValue;

struct Decoded {
  std::string table;
  table::TransactGet get;
};

Result<std::vector<Decoded>> decode(JsonValue body) {
  std::vector<Decoded> gets;
  for (const JsonValue entry : body.get("TransactItems").elements()) {
    const JsonValue get = entry.get("Get");
    Decoded decoded;
    decoded.table = text(get, "TableName");
    PARTITA_TRY_VOID(check_forms(get, {{"ProjectionExpression"}, {}}));
    PARTITA_TRY(decoded.get.key, wire::decode_item(get.get("Key")));
    PARTITA_TRY(expr::Placeholders given, placeholders(get));
    PARTITA_TRY(decoded.get.projection, projection(get, given));
    PARTITA_TRY_VOID(given.check_all_used());
    gets.push_back(std::move(decoded));
  }
  return gets;
}

Result<std::vector<table::TransactGet>> find_tables(const Context& context, std::vector<Decoded> decoded) {
  std::vector<table::TransactGet> gets;
  for (Decoded& one : decoded) {
    PARTITA_TRY(const std::string name, table_name_of(one.table, context));
    PARTITA_TRY(one.get.table, context.database.ready_table(name));
    gets.push_back(std::move(one.get));
  }
  return gets;
}

std::vector<table::ConsumedCapacity> charges(const std::vector<table::TransactGet>& gets,
                                             const std::vector<table::ReadItem>& items) {
  std::vector<table::ConsumedCapacity> sums;
  for (size_t i = 0; i < gets.size(); ++i) {
    table::ConsumedCapacity charge = table::read_charge(*gets[i].table, std::span(&items[i], 1), true);
    charge.twice();
    const auto sum = std::ranges::find(sums, charge.table, &table::ConsumedCapacity::table);
    if (sum == sums.end()) {
      sums.push_back(std::move(charge));
    } else {
      sum->add(charge);
    }
  }
  return sums;
}

Result<std::string> encode(JsonValue body, const std::vector<table::TransactGet>& gets,
                           const std::vector<table::ReadItem>& items) {
  wire::JsonWriter json(4096);
  json.begin_object();
  write_capacity_list(json, charges(gets, items), capacity_detail(body), CapacityKind::kTransactionRead);
  json.key("Responses");
  json.begin_array();
  for (const auto& item : items) {
    json.begin_object();
    if (item.item) {
      json.key("Item");
      PARTITA_TRY_VOID(write_found(json, *item.item));
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

}  // namespace

Task<Result<std::string>> transact_get_items(const Context& context, JsonValue body) {
  PARTITA_CO_TRY(std::vector<Decoded> decoded, decode(body));
  PARTITA_CO_TRY(const std::vector<table::TransactGet> gets, find_tables(context, std::move(decoded)));
  auto items = co_await table::transact_read(context.database, gets);
  if (!items.ok()) co_return std::move(items).error();
  co_return encode(body, gets, *items);
}

}  // namespace partita::ops
