#include "ops/table_reply.h"

#include <algorithm>

#include "wire/json_writer.h"

namespace partita::ops {

namespace {

using table::BillingMode;
using table::IndexInfo;
using table::ProjectionKind;
using table::Status;
using table::TableInfo;
using wire::JsonWriter;

std::string_view status_name(Status status) {
  switch (status) {
    case Status::kCreating:
      return "CREATING";
    case Status::kActive:
      return "ACTIVE";
    case Status::kUpdating:
      return "UPDATING";
    case Status::kDeleting:
      return "DELETING";
  }
  PARTITA_CHECK(false);
}

std::string_view projection_name(ProjectionKind kind) {
  switch (kind) {
    case ProjectionKind::kAll:
      return "ALL";
    case ProjectionKind::kKeysOnly:
      return "KEYS_ONLY";
    case ProjectionKind::kInclude:
      return "INCLUDE";
  }
  PARTITA_CHECK(false);
}

void write_text(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  json.string(text);
}

void write_whole(JsonWriter& json, std::string_view name, int64_t value) {
  json.key(name);
  json.number(value);
}

// Seconds since the epoch, with milliseconds.
void write_time(JsonWriter& json, std::string_view name, int64_t ms) {
  json.key(name);
  json.number(static_cast<double>(ms) / 1000);
}

void write_definitions(JsonWriter& json, const TableInfo& table) {
  json.key("AttributeDefinitions");
  json.begin_array();
  for (const auto& definition : table.attribute_definitions) {
    json.begin_object();
    write_text(json, "AttributeName", definition.name);
    write_text(json, "AttributeType", model::type_name(definition.type));
    json.end_object();
  }
  json.end_array();
}

void write_keys(JsonWriter& json, const model::KeySchema& keys) {
  json.key("KeySchema");
  json.begin_array();
  auto write = [&](const std::vector<model::KeyElement>& elements, std::string_view role) {
    for (const auto& element : elements) {
      json.begin_object();
      write_text(json, "AttributeName", element.name);
      write_text(json, "KeyType", role);
      json.end_object();
    }
  };
  write(keys.partition, "HASH");
  write(keys.sort, "RANGE");
  json.end_array();
}

void write_throughput(JsonWriter& json, const table::Throughput& throughput) {
  json.key("ProvisionedThroughput");
  json.begin_object();
  if (throughput.last_increase_ms != 0) write_time(json, "LastIncreaseDateTime", throughput.last_increase_ms);
  if (throughput.last_decrease_ms != 0) write_time(json, "LastDecreaseDateTime", throughput.last_decrease_ms);
  write_whole(json, "NumberOfDecreasesToday", throughput.decreases_today);
  write_whole(json, "ReadCapacityUnits", throughput.read_units);
  write_whole(json, "WriteCapacityUnits", throughput.write_units);
  json.end_object();
}

// Provisioned units are warm as they are; on-demand tables start with DynamoDB's own minimum.
void write_warm(JsonWriter& json, const std::optional<table::WarmThroughput>& warm, BillingMode mode,
                const table::Throughput& throughput, std::string_view status) {
  table::WarmThroughput units;
  if (mode == BillingMode::kProvisioned) units = {throughput.read_units, throughput.write_units};
  if (warm) units = *warm;
  json.key("WarmThroughput");
  json.begin_object();
  write_whole(json, "ReadUnitsPerSecond", units.read_units);
  write_whole(json, "WriteUnitsPerSecond", units.write_units);
  write_text(json, "Status", status);
  json.end_object();
}

void write_on_demand(JsonWriter& json, const table::OnDemandLimits& limits) {
  if (!limits.max_read_units && !limits.max_write_units) return;
  json.key("OnDemandThroughput");
  json.begin_object();
  if (limits.max_read_units) write_whole(json, "MaxReadRequestUnits", *limits.max_read_units);
  if (limits.max_write_units) write_whole(json, "MaxWriteRequestUnits", *limits.max_write_units);
  json.end_object();
}

void write_projection(JsonWriter& json, const table::Projection& projection) {
  json.key("Projection");
  json.begin_object();
  write_text(json, "ProjectionType", projection_name(projection.kind));
  if (projection.kind == ProjectionKind::kInclude) {
    json.key("NonKeyAttributes");
    json.begin_array();
    for (const auto& name : projection.attributes) json.string(name);
    json.end_array();
  }
  json.end_object();
}

// An index of a table that is being created is being created itself.
Status index_status(const IndexInfo& index, Status table_status) {
  return table_status == Status::kCreating ? Status::kCreating : index.status;
}

void write_index(JsonWriter& json, const std::string& arn, const TableInfo& table, const IndexInfo& index,
                 Status table_status) {
  json.begin_object();
  write_text(json, "IndexName", index.name);
  write_keys(json, index.keys);
  write_projection(json, index.projection);
  if (index.global) {
    const std::string_view status = status_name(index_status(index, table_status));
    write_text(json, "IndexStatus", status);
    if (index.status == Status::kCreating) {
      json.key("Backfilling");
      json.boolean(index.backfilling);
    }
    write_throughput(json, index.throughput);
    write_on_demand(json, index.on_demand);
    write_warm(json, index.warm, table.billing_mode, index.throughput, status);
  }
  write_whole(json, "IndexSizeBytes", index.tally->bytes);
  write_whole(json, "ItemCount", index.tally->items);
  write_text(json, "IndexArn", arn + "/index/" + index.name);
  json.end_object();
}

void write_indexes(JsonWriter& json, const std::string& arn, const TableInfo& table, Status table_status) {
  for (const bool global : {false, true}) {
    const auto chosen = [&](const IndexInfo& index) { return index.global == global; };
    if (std::ranges::none_of(table.indexes, chosen)) continue;
    json.key(global ? "GlobalSecondaryIndexes" : "LocalSecondaryIndexes");
    json.begin_array();
    for (const auto& index : table.indexes) {
      if (chosen(index)) write_index(json, arn, table, index, table_status);
    }
    json.end_array();
  }
}

void write_billing(JsonWriter& json, const TableInfo& table) {
  if (table.billing_changed_ms == 0) return;
  json.key("BillingModeSummary");
  json.begin_object();
  write_text(json, "BillingMode", table.billing_mode == BillingMode::kProvisioned ? "PROVISIONED" : "PAY_PER_REQUEST");
  write_time(json, "LastUpdateToPayPerRequestDateTime", table.billing_changed_ms);
  json.end_object();
}

void write_settings(JsonWriter& json, const Context& context, const TableInfo& table) {
  if (!table.table_class.empty()) {
    json.key("TableClassSummary");
    json.begin_object();
    write_text(json, "TableClass", table.table_class);
    if (table.table_class_changed_ms != 0) write_time(json, "LastUpdateDateTime", table.table_class_changed_ms);
    json.end_object();
  }
  if (table.encryption && table.encryption->kms) {
    json.key("SSEDescription");
    json.begin_object();
    write_text(json, "Status", "ENABLED");
    write_text(json, "SSEType", "KMS");
    const std::string prefix = "arn:aws:kms:" + context.caller.region + ":" + context.caller.account_id + ":";
    const std::string& key = table.encryption->key_arn;
    write_text(json, "KMSMasterKeyArn", key.starts_with("arn:") ? key : prefix + "key/" + key);
    json.end_object();
  }
  json.key("DeletionProtectionEnabled");
  json.boolean(table.deletion_protection);
}

// A table whose index is at work is being updated.
Status shown_status(const TableInfo& table, int64_t now_ms) {
  const Status status = table.status_at(now_ms);
  const bool index_at_work =
      std::ranges::any_of(table.indexes, [](const IndexInfo& index) { return index.status != Status::kActive; });
  return status == Status::kActive && index_at_work ? Status::kUpdating : status;
}

}  // namespace

std::string table_arn(const Context& context, std::string_view name) {
  return "arn:aws:dynamodb:" + context.caller.region + ":" + context.caller.account_id + ":table/" + std::string(name);
}

std::string table_reply(const Context& context, std::string_view member, const TableInfo& table) {
  const Status status = shown_status(table, context.database.clock().now_ms());
  const std::string arn = table_arn(context, table.name);
  JsonWriter json(2048);
  json.begin_object();
  json.key(member);
  json.begin_object();
  const bool deleting = status == Status::kDeleting;
  if (!deleting) {
    write_definitions(json, table);
    write_keys(json, table.keys);
    write_time(json, "CreationDateTime", table.created_ms);
  }
  write_text(json, "TableName", table.name);
  write_text(json, "TableStatus", status_name(status));
  write_throughput(json, table.throughput);
  write_whole(json, "TableSizeBytes", table.tally->bytes);
  write_whole(json, "ItemCount", table.tally->items);
  write_text(json, "TableArn", arn);
  write_text(json, "TableId", table.uuid);
  write_billing(json, table);
  if (!deleting) {
    write_on_demand(json, table.on_demand);
    write_warm(json, table.warm, table.billing_mode, table.throughput, status_name(status));
    write_indexes(json, arn, table, status);
  }
  write_settings(json, context, table);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::ops
