#include "table/control/index_rules.h"

#include <algorithm>
#include <set>

#include "model/fault.h"
#include "model/limits.h"

namespace partita::table {

namespace {

using model::Fault;
using model::KeyElement;
using model::refuse;

template <class Range, class Name>
std::vector<std::string> names_in(const Range& range, Name name) {
  std::vector<std::string> names;
  for (const auto& element : range) names.push_back(element.*name);
  return names;
}

// One HASH, then one RANGE at most.
Result<void> check_pair(const std::vector<api::KeyPart>& keys) {
  if (keys.size() < 2) return {};
  if (keys[0].name == keys[1].name) return refuse(Fault::kSameHashAndRange);
  if (keys[1].role != api::KeyRole::kRange) return refuse(Fault::kSecondKeyNotRange);
  return {};
}

Result<void> check_several(const std::vector<api::KeyPart>& keys) {
  std::set<std::string> names;
  bool behind_range = false;
  for (const auto& key : keys) {
    const bool range = key.role == api::KeyRole::kRange;
    if (!names.insert(key.name).second) {
      const bool pair = keys.size() == 2 && range;
      return refuse(pair ? Fault::kSameHashAndRange : Fault::kKeyAttributeTwice);
    }
    if (behind_range && !range) return refuse(Fault::kHashBehindRange);
    behind_range = range;
  }
  return {};
}

Result<IndexProjection> make_projection(const api::IndexRequest& request) {
  IndexProjection projection;
  if (!request.projection) return refuse(Fault::kProjectionTypeMissing);
  projection.kind = *request.projection;
  if (projection.kind != api::ProjectionKind::kInclude) {
    if (!request.projected) return projection;
    return refuse(Fault::kProjectionAttributesGiven,
                  {projection.kind == api::ProjectionKind::kAll ? "ALL" : "KEYS_ONLY"});
  }
  if (!request.projected) return refuse(Fault::kProjectionAttributesMissing);
  projection.attributes = *request.projected;
  std::ranges::sort(projection.attributes);
  const auto twice = std::ranges::adjacent_find(projection.attributes);
  if (twice != projection.attributes.end()) return refuse(Fault::kProjectionAttributeTwice, {*twice});
  return projection;
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  std::string list = "[";
  for (const auto& name : names) {
    if (list.size() > 1) list += ", ";
    list += name;
  }
  return list + "]";
}

std::vector<std::string> names_of(const std::vector<api::KeyPart>& keys) { return names_in(keys, &api::KeyPart::name); }
std::vector<std::string> names_of(const Definitions& definitions) { return names_in(definitions, &KeyElement::name); }

Result<void> check_defined(const std::vector<api::KeyPart>& keys, const Definitions& definitions) {
  for (const auto& key : keys) {
    if (std::ranges::find(definitions, key.name, &KeyElement::name) != definitions.end()) continue;
    return refuse(Fault::kKeysNotDefined, {listed(names_of(keys)), listed(names_of(definitions))});
  }
  return {};
}

Result<model::KeySchema> make_keys(const std::vector<api::KeyPart>& keys, const Definitions& definitions,
                                   bool several) {
  PARTITA_TRY_VOID(check_defined(keys, definitions));
  if (keys.front().role != api::KeyRole::kHash) return refuse(Fault::kFirstKeyNotHash);
  PARTITA_TRY_VOID(several ? check_several(keys) : check_pair(keys));
  model::KeySchema schema;
  for (const auto& key : keys) {
    const bool hash = key.role == api::KeyRole::kHash;
    auto& elements = hash ? schema.partition : schema.sort;
    if (elements.size() == model::kMaxIndexKeys) return refuse(Fault::kIndexTooManyKeys, {hash ? "HASH" : "RANGE"});
    elements.push_back(*std::ranges::find(definitions, key.name, &KeyElement::name));
  }
  return schema;
}

Result<IndexInfo> make_index(const api::IndexRequest& request) {
  IndexInfo index;
  index.name = request.name;
  index.global = request.global;
  PARTITA_TRY(index.projection, make_projection(request));
  if (request.throughput) {
    index.throughput.read_units = request.throughput->read;
    index.throughput.write_units = request.throughput->write;
  }
  return index;
}

Result<void> check_search_schema(const api::VectorRequest& request, const Definitions& definitions) {
  const auto defines = [&](const std::string& name) {
    return std::ranges::find(definitions, name, &KeyElement::name) != definitions.end();
  };
  std::set<std::string> names;
  for (const auto& element : request.search) {
    if (!defines(element.name)) return refuse(Fault::kSearchSchemaNotDefined);
    if (!names.insert(element.name).second) return refuse(Fault::kSearchSchemaTwice);
  }
  const auto hashes = static_cast<size_t>(std::ranges::count(request.search, true, &api::VectorRequest::Element::hash));
  const size_t filters = request.search.size() - hashes;
  if (hashes > 1) return refuse(Fault::kSearchSchemaTooMany, {std::to_string(hashes), "HASH", "1"});
  if (filters > model::kMaxInlineFilters) {
    return refuse(Fault::kSearchSchemaTooMany,
                  {std::to_string(filters), "INLINE_FILTER", std::to_string(model::kMaxInlineFilters)});
  }
  if (defines(request.attribute)) return refuse(Fault::kVectorAttributeDefined, {request.attribute});
  return {};
}

Result<IndexInfo> make_vector_index(const TableInfo& table, const api::IndexRequest& request,
                                    const Definitions& definitions) {
  const api::VectorRequest& wanted = *request.vector;
  PARTITA_TRY(IndexInfo index, make_index(request));
  if (wanted.dimensions > model::kMaxDimensions) return refuse(Fault::kVectorDimensions);
  VectorSchema& vector = index.vector.emplace();
  vector.attribute = wanted.attribute;
  vector.dimensions = static_cast<uint32_t>(wanted.dimensions);
  vector.distance = wanted.distance;
  for (const auto& element : wanted.search) {
    const KeyElement& attribute = *std::ranges::find(definitions, element.name, &KeyElement::name);
    if (element.hash) index.keys.partition.push_back(attribute);
    vector.search.push_back({attribute, element.hash});
  }
  for (const auto& other : table.indexes) {
    const bool differs =
        other.vector && other.vector->attribute == vector.attribute && other.vector->dimensions != vector.dimensions;
    if (differs) return refuse(Fault::kVectorDimensionsDiffer, {vector.attribute});
  }
  return index;
}

size_t count_vector_indexes(const TableInfo& table) {
  return static_cast<size_t>(
      std::ranges::count_if(table.indexes, [](const auto& index) { return index.vector.has_value(); }));
}

Result<void> check_projected(const TableInfo& table) {
  size_t projected = 0;
  for (const auto& index : table.indexes) projected += index.projection.attributes.size();
  if (projected > model::kMaxProjectedAttributes) return refuse(Fault::kProjectionAttributesTooMany);
  return {};
}

}  // namespace partita::table
