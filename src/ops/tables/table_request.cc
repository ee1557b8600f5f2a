#include "ops/tables/table_request.h"

#include "model/fault.h"
#include "ops/request.h"

namespace partita::ops {

namespace {

using wire::Field;
using wire::JsonValue;
using wire::Members;

model::Type key_type(std::string_view name) {
  if (name == "N") return model::Type::kN;
  return name == "B" ? model::Type::kB : model::Type::kS;
}

std::optional<api::ProjectionKind> projection_kind(std::string_view name) {
  if (name == "ALL") return api::ProjectionKind::kAll;
  if (name == "KEYS_ONLY") return api::ProjectionKind::kKeysOnly;
  if (name == "INCLUDE") return api::ProjectionKind::kInclude;
  return std::nullopt;
}

void decode_projection(const Members& index, api::IndexRequest& request) {
  const Members projection = index.in(Field::kProjection);
  request.projection = projection_kind(projection.text(Field::kProjectionType));
  if (projection.has(Field::kNonKeyAttributes)) request.projected = texts(projection[Field::kNonKeyAttributes]);
}

}  // namespace

std::vector<model::KeyElement> decode_definitions(const Members& in) {
  std::vector<model::KeyElement> definitions;
  const wire::Shape& shape = in.element_shape(Field::kAttributeDefinitions);
  for (const JsonValue entry : in[Field::kAttributeDefinitions].elements()) {
    const Members one(entry, shape);
    definitions.push_back({std::string(one.text(Field::kAttributeName)), key_type(one.text(Field::kAttributeType))});
  }
  return definitions;
}

std::vector<api::KeyPart> decode_keys(const Members& in) {
  std::vector<api::KeyPart> keys;
  const wire::Shape& shape = in.element_shape(Field::kKeySchema);
  for (const JsonValue entry : in[Field::kKeySchema].elements()) {
    const Members one(entry, shape);
    const bool hash = one.text(Field::kKeyType) == "HASH";
    keys.push_back({std::string(one.text(Field::kAttributeName)), hash ? api::KeyRole::kHash : api::KeyRole::kRange});
  }
  return keys;
}

std::optional<api::BillingMode> decode_billing(const Members& in) {
  if (!in.has(Field::kBillingMode)) return std::nullopt;
  const bool provisioned = in.text(Field::kBillingMode) == "PROVISIONED";
  return provisioned ? api::BillingMode::kProvisioned : api::BillingMode::kPayPerRequest;
}

std::optional<api::Units> decode_throughput(const Members& in) {
  if (!in.has(Field::kProvisionedThroughput)) return std::nullopt;
  const Members units = in.in(Field::kProvisionedThroughput);
  return api::Units{units.integer(Field::kReadCapacityUnits).value_or(0),
                    units.integer(Field::kWriteCapacityUnits).value_or(0)};
}

api::OnDemandLimits decode_on_demand(const Members& in) {
  const Members units = in.in(Field::kOnDemandThroughput);
  api::OnDemandLimits limits;
  limits.max_read_units = units.integer(Field::kMaxReadRequestUnits);
  limits.max_write_units = units.integer(Field::kMaxWriteRequestUnits);
  return limits;
}

std::optional<api::WarmRequest> decode_warm(const Members& in) {
  if (!in.has(Field::kWarmThroughput)) return std::nullopt;
  const Members units = in.in(Field::kWarmThroughput);
  return api::WarmRequest{units.integer(Field::kReadUnitsPerSecond), units.integer(Field::kWriteUnitsPerSecond)};
}

std::optional<api::EncryptionRequest> decode_encryption(const Members& in) {
  if (!in.has(Field::kSSESpecification)) return std::nullopt;
  const Members wanted = in.in(Field::kSSESpecification);
  api::EncryptionRequest request;
  if (wanted.has(Field::kEnabled)) request.enabled = wanted.flag(Field::kEnabled);
  request.type = wanted.text(Field::kSSEType);
  request.key = wanted.text(Field::kKMSMasterKeyId);
  return request;
}

std::optional<api::StreamRequest> decode_stream(const Members& in) {
  if (!in.has(Field::kStreamSpecification)) return std::nullopt;
  const Members wanted = in.in(Field::kStreamSpecification);
  return api::StreamRequest{wanted.flag(Field::kStreamEnabled), std::string(wanted.text(Field::kStreamViewType))};
}

std::vector<api::Tag> decode_tags(const Members& in) {
  std::vector<api::Tag> tags;
  const wire::Shape& shape = in.element_shape(Field::kTags);
  for (const JsonValue entry : in[Field::kTags].elements()) {
    const Members one(entry, shape);
    tags.push_back({decode_text(one, Field::kKey), decode_text(one, Field::kValue)});
  }
  return tags;
}

std::optional<std::string> decode_text(const Members& in, Field field) {
  if (!in.has(field)) return std::nullopt;
  return std::string(in.text(field));
}

Result<std::optional<std::string>> decode_table_class(const Members& in) {
  std::optional<std::string> wanted = decode_text(in, Field::kTableClass);
  const bool known = !wanted || *wanted == "STANDARD" || *wanted == "STANDARD_INFREQUENT_ACCESS";
  if (!known) return model::refuse(model::Fault::kTableClassUnknown);
  return wanted;
}

api::IndexRequest decode_index(const Members& index, bool global) {
  api::IndexRequest request;
  request.name = index.text(Field::kIndexName);
  request.global = global;
  request.keys = decode_keys(index);
  decode_projection(index, request);
  if (!global) return request;
  request.throughput = decode_throughput(index);
  request.on_demand = decode_on_demand(index);
  request.warm = decode_warm(index);
  return request;
}

api::IndexRequest decode_vector_index(const Members& index) {
  api::IndexRequest request;
  request.name = index.text(Field::kIndexName);
  decode_projection(index, request);
  api::VectorRequest& vector = request.vector.emplace();
  vector.attribute = index.in(Field::kVectorAttribute).text(Field::kAttributeName);
  vector.dimensions = index.integer(Field::kDimensions).value_or(0);
  const std::string_view distance = index.text(Field::kDistanceFunction);
  if (distance == "EUCLIDEAN") vector.distance = api::Distance::kEuclidean;
  if (distance == "DOT_PRODUCT") vector.distance = api::Distance::kDotProduct;
  if (!index.has(Field::kSearchSchema)) return request;
  const wire::Shape& shape = index.element_shape(Field::kSearchSchema);
  for (const JsonValue entry : index[Field::kSearchSchema].elements()) {
    const Members one(entry, shape);
    vector.search.push_back(
        {std::string(one.text(Field::kAttributeName)), one.text(Field::kSearchSchemaElementType) == "HASH"});
  }
  return request;
}

Result<void> refuse_named(const Members& in, std::initializer_list<Field> fields) {
  for (const Field field : fields) {
    if (in.has(field)) return model::refuse(model::Fault::kNotHereYet, {std::string(wire::name_of(field))});
  }
  return {};
}

}  // namespace partita::ops
