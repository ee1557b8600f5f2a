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

Result<table::TableRequest> decode(JsonValue body, const Context& context) {
  table::TableRequest request;
  PARTITA_TRY(request.name, table_name(body, context));
  request.definitions = decode_definitions(body.get("AttributeDefinitions"));
  request.keys = decode_keys(body.get("KeySchema"));
  request.local_indexes = decode_indexes(body.get("LocalSecondaryIndexes"), false);
  request.global_indexes = decode_indexes(body.get("GlobalSecondaryIndexes"), true);
  request.billing_mode = decode_billing(body.get("BillingMode"));
  request.throughput = decode_throughput(body.get("ProvisionedThroughput"));
  request.on_demand = decode_on_demand(body.get("OnDemandThroughput"));
  request.warm = decode_warm(body.get("WarmThroughput"));
  request.deletion_protection = flag(body, "DeletionProtectionEnabled");
  request.table_class = text(body, "TableClass");
  request.encryption = decode_encryption(body.get("SSESpecification"));
  for (const JsonValue tag : body.get("Tags").elements()) request.tags[text(tag, "Key")] = text(tag, "Value");
  return request;
}

}  // namespace

Task<Result<std::string>> create_table(const Context& context, JsonValue body) {
  PARTITA_CO_TRY(const table::TableRequest request, decode(body, context));
  auto created = co_await table::create_table(context.database, request);
  if (!created.ok()) co_return std::move(created).error();
  co_return table_reply(context, "TableDescription", **created);
}

}  // namespace partita::ops
