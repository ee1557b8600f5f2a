#include "ops/tables/table_reply.h"

#include <algorithm>

#include "ops/reply.h"
#include "ops/resource_arn.h"
#include "ops/stream_names.h"
#include "table/control/settings_rules.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

using api::BillingMode;
using api::ProjectionKind;
using table::IndexInfo;
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

void write_definitions(JsonWriter& json, const TableInfo& table) {
  json.begin_array("AttributeDefinitions");
  for (const auto& definition : table.attribute_definitions) {
    json.begin_object();
    json.member("AttributeName", definition.name);
    json.member("AttributeType", model::type_name(definition.type));
    json.end_object();
  }
  json.end_array();
}

void write_throughput(JsonWriter& json, const table::Throughput& throughput, int64_t at_ms) {
  json.begin_object("ProvisionedThroughput");
  if (throughput.last_increase_ms != 0) write_time(json, "LastIncreaseDateTime", throughput.last_increase_ms);
  if (throughput.last_decrease_ms != 0) write_time(json, "LastDecreaseDateTime", throughput.last_decrease_ms);
  json.member("NumberOfDecreasesToday", throughput.decreases_on(at_ms));
  json.member("ReadCapacityUnits", throughput.read_units);
  json.member("WriteCapacityUnits", throughput.write_units);
  json.end_object();
}

void write_warm(JsonWriter& json, const table::WarmThroughput& warm, bool updating) {
  json.begin_object("WarmThroughput");
  json.member("ReadUnitsPerSecond", warm.read_units);
  json.member("WriteUnitsPerSecond", warm.write_units);
  json.member("Status", updating ? "UPDATING" : "ACTIVE");
  json.end_object();
}

void write_on_demand(JsonWriter& json, const api::OnDemandLimits& limits) {
  if (!limits.max_read_units && !limits.max_write_units) return;
  json.begin_object("OnDemandThroughput");
  if (limits.max_read_units) json.member("MaxReadRequestUnits", *limits.max_read_units);
  if (limits.max_write_units) json.member("MaxWriteRequestUnits", *limits.max_write_units);
  json.end_object();
}

void write_projection(JsonWriter& json, const table::IndexProjection& projection) {
  json.begin_object("Projection");
  json.member("ProjectionType", projection_name(projection.kind));
  if (projection.kind == ProjectionKind::kInclude) {
    json.begin_array("NonKeyAttributes");
    for (const auto& name : projection.attributes) json.string(name);
    json.end_array();
  }
  json.end_object();
}

// An index of a table that is being created is being created itself.
Status index_status(const IndexInfo& index, Status table_status) {
  if (table_status == Status::kCreating) return Status::kCreating;
  return index.status == Status::kActive && index.settles_at_ms != 0 ? Status::kUpdating : index.status;
}

std::string_view distance_name(api::Distance distance) {
  switch (distance) {
    case api::Distance::kCosine:
      return "COSINE";
    case api::Distance::kEuclidean:
      return "EUCLIDEAN";
    case api::Distance::kDotProduct:
      return "DOT_PRODUCT";
  }
  PARTITA_CHECK(false);
}

void write_index_state(JsonWriter& json, const TableInfo& table, const IndexInfo& index) {
  json.member("IndexStatus", status_name(index_status(index, table.status)));
  if (index.status == Status::kCreating) {
    json.member("Backfilling", index.backfilling);
  }
}

void write_vector_schema(JsonWriter& json, const table::VectorSchema& vector) {
  json.begin_object("VectorAttribute");
  json.member("AttributeName", vector.attribute);
  json.end_object();
  json.member("Dimensions", vector.dimensions);
  json.member("DistanceFunction", distance_name(vector.distance));
  if (vector.search.empty()) return;
  json.begin_array("SearchSchema");
  for (const auto& element : vector.search) {
    json.begin_object();
    json.member("AttributeName", element.attribute.name);
    json.member("SearchSchemaElementType", element.hash ? "HASH" : "INLINE_FILTER");
    json.end_object();
  }
  json.end_array();
}

void write_index(JsonWriter& json, const std::string& arn, const TableInfo& table, const IndexInfo& index,
                 int64_t at_ms) {
  json.begin_object();
  json.member("IndexName", index.name);
  if (index.vector) {
    write_vector_schema(json, *index.vector);
    write_index_state(json, table, index);
  } else {
    write_keys(json, index.keys);
  }
  write_projection(json, index.projection);
  if (index.is_global_secondary()) {
    write_index_state(json, table, index);
    write_throughput(json, index.throughput, at_ms);
    write_on_demand(json, index.on_demand);
    // The answer of CreateTable does not have it.
    if (table.status != Status::kCreating) {
      write_warm(json, index.warm, index.next_warm || index.status == Status::kCreating);
    }
  }
  json.member("IndexSizeBytes", index.tally->bytes);
  json.member("ItemCount", index.tally->items);
  std::string index_arn = arn;
  append_index(index_arn, index.name);
  json.member("IndexArn", index_arn);
  json.end_object();
}

void write_indexes(JsonWriter& json, const std::string& arn, const TableInfo& table, int64_t at_ms) {
  constexpr std::string_view kLists[] = {"LocalSecondaryIndexes", "GlobalSecondaryIndexes", "VectorIndexes"};
  for (const auto list : kLists) {
    const auto chosen = [&](const IndexInfo& index) {
      return list == (index.vector ? kLists[2] : kLists[index.global ? 1 : 0]);
    };
    if (std::ranges::none_of(table.indexes, chosen)) continue;
    json.begin_array(list);
    for (const auto& index : table.indexes) {
      if (chosen(index)) write_index(json, arn, table, index, at_ms);
    }
    json.end_array();
  }
}

// A table that was never paid for by the request has no summary.
void write_billing(JsonWriter& json, const TableInfo& table) {
  const bool on_demand = table.billing_mode == BillingMode::kPayPerRequest;
  if (!on_demand && table.billing_changed_ms == 0) return;
  json.begin_object("BillingModeSummary");
  json.member("BillingMode", on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
  if (table.billing_changed_ms != 0) write_time(json, "LastUpdateToPayPerRequestDateTime", table.billing_changed_ms);
  json.end_object();
}

// An ARN is reported as it was given, and any other name of a key as the ARN of that key.
std::string kms_key_arn(const Context& context, const std::string& key) {
  if (key.starts_with("arn:") && key.contains(":key/")) return key;
  return "arn:aws:kms:" + context.caller.region + ":" + context.caller.account_id + ":key/" + table::kms_key_id(key);
}

void write_encryption(JsonWriter& json, const Context& context, const TableInfo& table) {
  if (!table.encryption && !table.next_encryption) return;
  json.begin_object("SSEDescription");
  json.member("Status", table.next_encryption ? "UPDATING" : "ENABLED");
  if (table.encryption) {
    json.member("SSEType", "KMS");
    json.member("KMSMasterKeyArn", kms_key_arn(context, table.encryption->key));
  }
  json.end_object();
}

void write_stream(JsonWriter& json, const Context& context, const TableInfo& table) {
  if (!table.stream.label.empty()) {
    json.member("LatestStreamArn", stream_arn(context, {table.name, table.stream.label}));
    json.member("LatestStreamLabel", table.stream.label);
  }
  if (!table.stream.enabled) return;
  json.begin_object("StreamSpecification");
  json.member("StreamEnabled", true);
  json.member("StreamViewType", table.stream.view_type);
  json.end_object();
}

void write_settings(JsonWriter& json, const Context& context, const TableInfo& table) {
  if (!table.table_class.empty()) {
    json.begin_object("TableClassSummary");
    json.member("TableClass", table.table_class);
    if (table.table_class_changed_ms != 0) write_time(json, "LastUpdateDateTime", table.table_class_changed_ms);
    json.end_object();
  }
  write_encryption(json, context, table);
  write_stream(json, context, table);
  if (!table.replication_mode.empty()) {
    json.member("GlobalTableSettingsReplicationMode", table.replication_mode);
  }
  json.member("DeletionProtectionEnabled", table.deletion_protection);
}

// While a table becomes on-demand DynamoDB shows that as its last decrease, though it counts none.
table::Throughput throughput_of(const TableInfo& table, int64_t at_ms) {
  table::Throughput shown = table.throughput;
  if (table.job != table::TableJob::kBilling || table.billing_mode != BillingMode::kPayPerRequest) return shown;
  shown.decreases_today = shown.decreases_on(at_ms);
  shown.last_decrease_ms = at_ms;
  return shown;
}

// A table is UPDATING while an index is allocated or dropped, and ACTIVE while one is backfilled or changed.
Status shown_status(const TableInfo& table) {
  const bool index_at_work = std::ranges::any_of(table.indexes, [](const IndexInfo& index) {
    return index.status == Status::kDeleting || (index.status == Status::kCreating && !index.backfilling);
  });
  return table.status == Status::kActive && index_at_work ? Status::kUpdating : table.status;
}

}  // namespace

void write_keys(JsonWriter& json, const model::KeySchema& keys) {
  json.begin_array("KeySchema");
  auto write = [&](const std::vector<model::KeyElement>& elements, std::string_view role) {
    for (const auto& element : elements) {
      json.begin_object();
      json.member("AttributeName", element.name);
      json.member("KeyType", role);
      json.end_object();
    }
  };
  write(keys.partition, "HASH");
  write(keys.sort, "RANGE");
  json.end_array();
}

std::string table_reply(const Context& context, std::string_view member, const Described& found) {
  TableInfo shown = *found.table;
  shown.settle(found.at_ms);
  const std::string arn = table_arn(context, shown.name);
  JsonWriter json(2048);
  json.begin_object();
  json.begin_object(member);
  const bool deleting = shown.status == Status::kDeleting;
  if (!deleting) {
    write_definitions(json, shown);
    write_keys(json, shown.keys);
    write_time(json, "CreationDateTime", shown.created_ms);
  }
  json.member("TableName", shown.name);
  json.member("TableStatus", status_name(shown_status(shown)));
  write_throughput(json, throughput_of(shown, found.at_ms), found.at_ms);
  json.member("TableSizeBytes", shown.tally->bytes);
  json.member("ItemCount", shown.tally->items);
  json.member("TableArn", arn);
  json.member("TableId", shown.uuid);
  write_billing(json, shown);
  if (!deleting) {
    write_on_demand(json, shown.on_demand);
    // The answer of CreateTable has it only when the request had.
    if (shown.status != Status::kCreating || shown.next_warm) write_warm(json, shown.warm, shown.next_warm.has_value());
    write_indexes(json, arn, shown, found.at_ms);
  }
  write_settings(json, context, shown);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::ops
