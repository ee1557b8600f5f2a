#include "ops/table_request.h"

#include "ops/request.h"

namespace partita::ops {

namespace {

using wire::JsonValue;

model::Type key_type(std::string_view name) {
  if (name == "N") return model::Type::kN;
  return name == "B" ? model::Type::kB : model::Type::kS;
}

std::optional<table::ProjectionKind> projection_kind(const std::string& name) {
  if (name == "ALL") return table::ProjectionKind::kAll;
  if (name == "KEYS_ONLY") return table::ProjectionKind::kKeysOnly;
  if (name == "INCLUDE") return table::ProjectionKind::kInclude;
  return std::nullopt;
}

// DynamoDB takes -1 for "no limit".
std::optional<int64_t> limit(JsonValue structure, std::string_view name) {
  const auto units = integer(structure, name);
  return units && *units > 0 ? units : std::nullopt;
}

}  // namespace

std::vector<model::KeyElement> decode_definitions(JsonValue list) {
  std::vector<model::KeyElement> definitions;
  for (const JsonValue entry : list.elements()) {
    definitions.push_back({text(entry, "AttributeName"), key_type(text(entry, "AttributeType"))});
  }
  return definitions;
}

std::vector<table::KeyPart> decode_keys(JsonValue list) {
  std::vector<table::KeyPart> keys;
  for (const JsonValue entry : list.elements()) {
    const bool hash = text(entry, "KeyType") == "HASH";
    keys.push_back({text(entry, "AttributeName"), hash ? table::KeyRole::kHash : table::KeyRole::kRange});
  }
  return keys;
}

std::optional<table::BillingMode> decode_billing(JsonValue word) {
  if (!word.present()) return std::nullopt;
  return word.as_string() == "PROVISIONED" ? table::BillingMode::kProvisioned : table::BillingMode::kPayPerRequest;
}

std::optional<table::ThroughputRequest> decode_throughput(JsonValue structure) {
  if (!structure.present()) return std::nullopt;
  table::ThroughputRequest request;
  request.read_units = integer(structure, "ReadCapacityUnits").value_or(0);
  request.write_units = integer(structure, "WriteCapacityUnits").value_or(0);
  return request;
}

table::OnDemandLimits decode_on_demand(JsonValue structure) {
  return {limit(structure, "MaxReadRequestUnits"), limit(structure, "MaxWriteRequestUnits")};
}

std::optional<table::WarmThroughput> decode_warm(JsonValue structure) {
  if (!structure.present()) return std::nullopt;
  table::WarmThroughput warm;
  warm.read_units = integer(structure, "ReadUnitsPerSecond").value_or(warm.read_units);
  warm.write_units = integer(structure, "WriteUnitsPerSecond").value_or(warm.write_units);
  return warm;
}

std::optional<table::Encryption> decode_encryption(JsonValue structure) {
  if (!structure.present()) return std::nullopt;
  table::Encryption encryption;
  encryption.kms = flag(structure, "Enabled");
  encryption.key_arn = text(structure, "KMSMasterKeyId");
  if (encryption.key_arn.empty()) encryption.key_arn = "alias/aws/dynamodb";
  return encryption;
}

table::IndexRequest decode_index(JsonValue structure, bool global) {
  table::IndexRequest index;
  index.name = text(structure, "IndexName");
  index.global = global;
  index.keys = decode_keys(structure.get("KeySchema"));
  const JsonValue projection = structure.get("Projection");
  index.projection = projection_kind(text(projection, "ProjectionType"));
  if (const JsonValue names = projection.get("NonKeyAttributes"); names.present()) {
    index.projected.emplace();
    for (const JsonValue name : names.elements()) index.projected->emplace_back(name.as_string());
  }
  index.throughput = decode_throughput(structure.get("ProvisionedThroughput"));
  index.on_demand = decode_on_demand(structure.get("OnDemandThroughput"));
  index.warm = decode_warm(structure.get("WarmThroughput"));
  return index;
}

}  // namespace partita::ops
