#include <set>

#include "model/fault.h"
#include "model/limits.h"
#include "ops/handlers.h"
#include "ops/transact_call.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::JsonValue;

Result<table::WriteAction> decode_write_request(JsonValue request) {
  const JsonValue put = request.get("PutRequest");
  const JsonValue erase = request.get("DeleteRequest");
  if (put.present() == erase.present()) return refuse(Fault::kWriteRequestAmbiguous);
  table::WriteAction action;
  if (put.present()) {
    action.kind = table::WriteAction::Kind::kPut;
    PARTITA_TRY(action.item, wire::decode_item(put.get("Item")));
    PARTITA_TRY_VOID(table::check_item_size(action.item));
  } else {
    action.kind = table::WriteAction::Kind::kDelete;
    PARTITA_TRY(action.item, wire::decode_item(erase.get("Key")));
  }
  return action;
}

struct Decoded {
  std::string name;  // as the request writes it
  std::vector<table::WriteAction> actions;
};

Result<std::vector<Decoded>> decode(JsonValue body) {
  const JsonValue tables = body.get("RequestItems");
  size_t total = 0;
  for (const auto& [name, requests] : tables.members()) total += requests.size();
  if (total > model::kMaxBatchWrites) return refuse(Fault::kBatchTooManyItems, {"BatchWriteItem"});
  std::vector<Decoded> decoded;
  for (const auto& [name, requests] : tables.members()) {
    Decoded block{std::string(name), {}};
    for (const JsonValue request : requests.elements()) {
      PARTITA_TRY(table::WriteAction action, decode_write_request(request));
      block.actions.push_back(std::move(action));
    }
    decoded.push_back(std::move(block));
  }
  return decoded;
}

// In a batch a put's key is spoken of like any other key. `seen` is of the whole batch: a table may stand there twice.
Result<void> check_keys(const table::TableInfo& table, const std::vector<table::WriteAction>& actions,
                        std::set<std::string>& seen) {
  for (const auto& action : actions) {
    const bool put = action.kind == table::WriteAction::Kind::kPut;
    PARTITA_TRY_VOID(table::check_key(table, put ? table::key_of(table, action.item) : action.item));
    if (!seen.insert(table::item_key(table, action.item).bytes).second) return refuse(Fault::kBatchDuplicateKeys);
  }
  return {};
}

Result<std::vector<table::TransactWrite>> find_tables(const Context& context, std::vector<Decoded> blocks) {
  std::vector<table::TransactWrite> writes;
  std::set<std::string> seen;
  for (Decoded& block : blocks) {
    PARTITA_TRY(const std::string name, table_name_of(block.name, context));
    PARTITA_TRY(const table::Table table, context.database.ready_table(name));
    PARTITA_TRY_VOID(check_keys(*table, block.actions, seen));
    for (auto& action : block.actions) writes.push_back({table, std::move(action)});
  }
  return writes;
}

}  // namespace

Task<Result<std::string>> batch_write_item(const Context& context, JsonValue body) {
  PARTITA_CO_TRY(std::vector<Decoded> blocks, decode(body));
  PARTITA_CO_TRY(const std::vector<table::TransactWrite> writes, find_tables(context, std::move(blocks)));
  auto written = co_await table::batch_write(context.database, writes);
  if (!written.ok()) co_return std::move(written).error();
  wire::JsonWriter json;
  json.begin_object();
  json.key("UnprocessedItems");
  json.begin_object();
  json.end_object();
  write_capacity_list(json, consumed_by_table(writes, *written), capacity_detail(body));
  if (wants_collection_metrics(body)) {
    PARTITA_CO_TRY_VOID(co_await write_all_collection_metrics(json, context, writes));
  }
  json.end_object();
  co_return std::move(json).take();
}

}  // namespace partita::ops
