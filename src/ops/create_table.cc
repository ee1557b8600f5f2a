#include "ops/handlers.h"
#include "ops/request.h"
#include "ops/table_reply.h"
#include "ops/table_request.h"

namespace partita::ops {

namespace {

using wire::JsonValue;

std::optional<std::vector<table::IndexRequest>> decode_indexes(JsonValue list, bool global) {
  if (!list.present()) return std::nullopt;
  std::vector<table::IndexRequest> indexes;
  for (const JsonValue entry : list.elements()) indexes.push_back(decode_index(entry, global));
  return indexes;
}

std::vector<table::Tag> decode_tags(JsonValue list) {
  std::vector<table::Tag> tags;
  for (const JsonValue entry : list.elements()) {
    table::Tag tag;
    if (entry.get("Key").present()) tag.key = text(entry, "Key");
    if (entry.get("Value").present()) tag.value = text(entry, "Value");
    tags.push_back(std::move(tag));
  }
  return tags;
}

Result<table::TableRequest> decode(JsonValue body, const Context& context) {
  PARTITA_TRY_VOID(refuse_named(
      body, {"ResourcePolicy", "GlobalTableSourceArn", "GlobalTableSettingsReplicationMode", "VectorIndexes"}));
  table::TableRequest request;
  PARTITA_TRY(request.name, table_name(body, context));
  request.region = context.caller.region;
  request.definitions = decode_definitions(body.get("AttributeDefinitions"));
  request.keys = decode_keys(body.get("KeySchema"));
  request.local_indexes = decode_indexes(body.get("LocalSecondaryIndexes"), false);
  request.global_indexes = decode_indexes(body.get("GlobalSecondaryIndexes"), true);
  request.billing_mode = decode_billing(body.get("BillingMode"));
  request.throughput = decode_throughput(body.get("ProvisionedThroughput"));
  request.on_demand = decode_on_demand(body.get("OnDemandThroughput"));
  request.warm = decode_warm(body.get("WarmThroughput")).value_or(table::WarmRequest{});
  request.deletion_protection = flag(body, "DeletionProtectionEnabled");
  request.table_class = text(body, "TableClass");
  request.encryption = decode_encryption(body.get("SSESpecification"));
  request.stream = decode_stream(body.get("StreamSpecification"));
  request.tags = decode_tags(body.get("Tags"));
  return request;
}

}  // namespace

Task<Result<std::string>> create_table(const Context& context, JsonValue body) {
  PARTITA_CO_TRY(const table::TableRequest request, decode(body, context));
  const int64_t at_ms = context.database.clock().now_ms();
  auto created = co_await table::create_table(context.database, request);
  if (!created.ok()) co_return std::move(created).error();
  co_return table_reply(context, "TableDescription", **created, at_ms);
}

}  // namespace partita::ops
