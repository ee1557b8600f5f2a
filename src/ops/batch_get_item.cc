#include <set>
#include <span>

#include "model/fault.h"
#include "model/limits.h"
#include "ops/handlers.h"
#include "ops/request.h"
#include "table/read.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::JsonValue;

// One table's part of the request.
struct Block {
  std::string name;  // as the request writes it
  JsonValue body;
  table::ReadKeys read;
  std::vector<table::ReadItem> items;
  size_t answered = 0;  // the first so many items are in the reply; the rest did not fit
};

// A key as text: DynamoDB takes 1000 and 1e3 for two keys here.
std::string key_text(JsonValue key) {
  std::set<std::string> parts;
  for (const auto& [name, value] : key.members()) {
    for (const auto& [type, held] : value.members()) {
      if (held.is(JsonValue::Kind::kString)) {
        parts.insert(std::string(name) + '\0' + std::string(type) + '\0' + std::string(held.as_string()));
      }
    }
  }
  std::string joined;
  for (const auto& part : parts) joined += part + '\0';
  return joined;
}

Result<void> check_duplicates(JsonValue keys) {
  std::set<std::string> seen;
  for (const JsonValue key : keys.elements()) {
    if (!seen.insert(key_text(key)).second) return refuse(Fault::kBatchDuplicateKeys);
  }
  return {};
}

Result<Block> decode_block(std::string_view name, JsonValue body) {
  Block block;
  block.name = std::string(name);
  block.body = body;
  for (const JsonValue key : body.get("Keys").elements()) {
    PARTITA_TRY(model::Item decoded, wire::decode_item(key));
    block.read.keys.push_back(std::move(decoded));
  }
  PARTITA_TRY_VOID(check_duplicates(body.get("Keys")));
  PARTITA_TRY(block.read.projection, attributes_to_get(body));
  PARTITA_TRY(expr::Placeholders given, placeholders(body));
  if (!block.read.projection) {
    PARTITA_TRY(block.read.projection, projection(body, given));
  }
  PARTITA_TRY_VOID(given.check_all_used());
  block.read.consistent = flag(body, "ConsistentRead");
  return block;
}

// The two forms do not mix, neither in a block nor over the blocks.
Result<void> check_block_forms(JsonValue tables) {
  constexpr std::string_view kExpression = "ProjectionExpression";
  constexpr std::string_view kLegacy = "AttributesToGet";
  bool expression = false;
  bool legacy = false;
  for (const auto& [name, block] : tables.members()) {
    expression = expression || block.get(kExpression).present();
    legacy = legacy || block.get(kLegacy).present();
    PARTITA_TRY_VOID(check_forms(block, {{kExpression}, {kLegacy}}));
  }
  if (expression && legacy) {
    return refuse(Fault::kMixedExpressions, {std::string(kLegacy), std::string(kExpression)});
  }
  return {};
}

Result<std::vector<Block>> decode(JsonValue body) {
  std::vector<Block> blocks;
  const JsonValue tables = body.get("RequestItems");
  size_t total = 0;
  for (const auto& [name, block] : tables.members()) total += block.get("Keys").size();
  if (total > model::kMaxBatchGetKeys) return refuse(Fault::kBatchTooManyItems, {"BatchGetItem"});
  PARTITA_TRY_VOID(check_block_forms(tables));
  for (const auto& [name, block] : tables.members()) {
    PARTITA_TRY(Block decoded, decode_block(name, block));
    blocks.push_back(std::move(decoded));
  }
  return blocks;
}

Result<void> find_tables(const Context& context, std::vector<Block>& blocks) {
  for (Block& block : blocks) {
    PARTITA_TRY(const std::string name, table_name_of(block.name, context));
    PARTITA_TRY(block.read.table, context.database.ready_table(name));
    if (block.read.projection) {
      PARTITA_TRY_VOID(table::check_scalar_keys(*block.read.table, block.read.projection->nested_attributes()));
    }
    for (const auto& key : block.read.keys) PARTITA_TRY_VOID(table::check_key(*block.read.table, key));
  }
  return {};
}

// How much of the whole reply fits into 16 MB of items.
void cut(std::vector<Block>& blocks) {
  size_t bytes = 0;
  bool full = false;
  for (Block& block : blocks) {
    for (const auto& item : block.items) {
      full = full || (bytes > 0 && bytes + item.bytes > model::kMaxBatchGetBytes);
      if (full) break;
      bytes += item.bytes;
      ++block.answered;
    }
  }
}

// A request block again, with the keys that are left.
void write_rest(wire::JsonWriter& json, const Block& block) {
  json.begin_object();
  json.key("Keys");
  json.begin_array();
  for (size_t i = block.answered; i < block.read.keys.size(); ++i) json.write_item(block.read.keys[i]);
  json.end_array();
  if (const JsonValue expression = block.body.get("ProjectionExpression"); expression.present()) {
    json.key("ProjectionExpression");
    json.string(expression.as_string());
  }
  if (const JsonValue names = block.body.get("ExpressionAttributeNames"); names.present()) {
    json.key("ExpressionAttributeNames");
    json.begin_object();
    for (const auto& [key, name] : names.members()) {
      json.key(key);
      json.string(name.as_string());
    }
    json.end_object();
  }
  if (const JsonValue names = block.body.get("AttributesToGet"); names.present()) {
    json.key("AttributesToGet");
    json.begin_array();
    for (const JsonValue name : names.elements()) json.string(name.as_string());
    json.end_array();
  }
  if (block.body.get("ConsistentRead").present()) {
    json.key("ConsistentRead");
    json.boolean(block.read.consistent);
  }
  json.end_object();
}

Result<std::string> encode(JsonValue body, const std::vector<Block>& blocks) {
  wire::JsonWriter json(4096);
  std::vector<table::ConsumedCapacity> consumed;
  json.begin_object();
  json.key("Responses");
  json.begin_object();
  for (const Block& block : blocks) {
    const std::span answered(block.items.data(), block.answered);
    consumed.push_back(table::read_charge(*block.read.table, answered, block.read.consistent));
    json.key(block.name);
    json.begin_array();
    for (const auto& item : answered) {
      if (item.item) PARTITA_TRY_VOID(write_found(json, *item.item));
    }
    json.end_array();
  }
  json.end_object();
  json.key("UnprocessedKeys");
  json.begin_object();
  for (const Block& block : blocks) {
    if (block.answered == block.read.keys.size()) continue;
    json.key(block.name);
    write_rest(json, block);
  }
  json.end_object();
  write_capacity_list(json, consumed, capacity_detail(body));
  json.end_object();
  return std::move(json).take();
}

}  // namespace

Task<Result<std::string>> batch_get_item(const Context& context, JsonValue body) {
  PARTITA_CO_TRY(std::vector<Block> blocks, decode(body));
  PARTITA_CO_TRY_VOID(find_tables(context, blocks));
  for (Block& block : blocks) {
    table::ReadKeys read = block.read;
    auto items = co_await table::read_items(context.database, std::move(read));
    if (!items.ok()) co_return std::move(items).error();
    block.items = std::move(items).value();
  }
  cut(blocks);
  co_return encode(body, blocks);
}

}  // namespace partita::ops
