#include "ops/table_request.h"

#include "model/fault.h"
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

std::optional<table::Units> decode_throughput(JsonValue structure) {
  if (!structure.present()) return std::nullopt;
  return table::Units{integer(structure, "ReadCapacityUnits").value_or(0),
                      integer(structure, "WriteCapacityUnits").value_or(0)};
}

table::OnDemandLimits decode_on_demand(JsonValue structure) {
  table::OnDemandLimits limits;
  limits.max_read_units = integer(structure, "MaxReadRequestUnits");
  limits.max_write_units = integer(structure, "MaxWriteRequestUnits");
  return limits;
}

std::optional<table::WarmRequest> decode_warm(JsonValue structure) {
  if (!structure.present()) return std::nullopt;
  return table::WarmRequest{integer(structure, "ReadUnitsPerSecond"), integer(structure, "WriteUnitsPerSecond")};
}

std::optional<table::EncryptionRequest> decode_encryption(JsonValue structure) {
  if (!structure.present()) return std::nullopt;
  table::EncryptionRequest request;
  if (structure.get("Enabled").present()) request.enabled = flag(structure, "Enabled");
  request.type = text(structure, "SSEType");
  request.key = text(structure, "KMSMasterKeyId");
  return request;
}

std::optional<table::StreamRequest> decode_stream(JsonValue structure) {
  if (!structure.present()) return std::nullopt;
  return table::StreamRequest{flag(structure, "StreamEnabled"), text(structure, "StreamViewType")};
}

Result<void> refuse_named(JsonValue body, std::initializer_list<std::string_view> members) {
  for (const std::string_view member : members) {
    if (!body.get(member).present()) continue;
    return model::refuse(model::Fault::kNotHereYet, {std::string(member)});
  }
  return {};
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
