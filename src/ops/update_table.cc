#include "ops/handlers.h"
#include "ops/request.h"
#include "ops/table_reply.h"
#include "ops/table_request.h"

namespace partita::ops {

namespace {

using wire::JsonValue;

table::IndexUpdate decode_index_update(JsonValue entry) {
  table::IndexUpdate update;
  if (const JsonValue create = entry.get("Create"); create.present()) update.create = decode_index(create, true);
  if (const JsonValue change = entry.get("Update"); change.present()) {
    update.changed = text(change, "IndexName");
    update.throughput = decode_throughput(change.get("ProvisionedThroughput"));
    update.on_demand = decode_on_demand(change.get("OnDemandThroughput"));
    update.warm = decode_warm(change.get("WarmThroughput"));
  }
  if (const JsonValue drop = entry.get("Delete"); drop.present()) update.dropped = text(drop, "IndexName");
  return update;
}

Result<table::TableUpdate> decode(JsonValue body, const Context& context) {
  PARTITA_TRY_VOID(refuse_named(body, {"ReplicaUpdates", "MultiRegionConsistency", "GlobalTableWitnessUpdates",
                                       "DisassociationProtectionEnabled", "VectorIndexUpdates"}));
  table::TableUpdate update;
  PARTITA_TRY(update.name, table_name(body, context));
  update.region = context.caller.region;
  update.definitions = decode_definitions(body.get("AttributeDefinitions"));
  update.billing_mode = decode_billing(body.get("BillingMode"));
  update.throughput = decode_throughput(body.get("ProvisionedThroughput"));
  update.on_demand = decode_on_demand(body.get("OnDemandThroughput"));
  update.warm = decode_warm(body.get("WarmThroughput")).value_or(table::WarmRequest{});
  if (body.get("DeletionProtectionEnabled").present()) {
    update.deletion_protection = flag(body, "DeletionProtectionEnabled");
  }
  if (body.get("TableClass").present()) update.table_class = text(body, "TableClass");
  update.encryption = decode_encryption(body.get("SSESpecification"));
  update.stream = decode_stream(body.get("StreamSpecification"));
  if (const JsonValue mode = body.get("GlobalTableSettingsReplicationMode"); mode.present()) {
    update.replication_mode = std::string(mode.as_string());
  }
  if (const JsonValue entries = body.get("GlobalSecondaryIndexUpdates"); entries.present()) {
    update.indexes.emplace();
    for (const JsonValue entry : entries.elements()) update.indexes->push_back(decode_index_update(entry));
  }
  return update;
}

}  // namespace

Task<Result<std::string>> update_table(const Context& context, JsonValue body) {
  PARTITA_CO_TRY(const table::TableUpdate update, decode(body, context));
  const int64_t at_ms = context.database.clock().now_ms();
  auto changed = co_await table::update_table(context.database, update);
  if (!changed.ok()) co_return std::move(changed).error();
  co_return table_reply(context, "TableDescription", **changed, at_ms);
}

}  // namespace partita::ops
