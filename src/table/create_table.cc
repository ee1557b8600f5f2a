#include <algorithm>
#include <set>

#include "model/fault.h"
#include "model/limits.h"
#include "table/tables.h"

namespace partita::table {

namespace {

using model::Fault;
using model::KeyElement;
using model::refuse;

using Definitions = std::vector<KeyElement>;

const KeyElement* find_definition(const Definitions& definitions, const std::string& name) {
  const auto found = std::ranges::find(definitions, name, &KeyElement::name);
  return found == definitions.end() ? nullptr : &*found;
}

template <class Range, class Name>
std::string listed(const Range& range, Name name) {
  std::string list = "[";
  for (const auto& element : range) {
    if (list.size() > 1) list += ", ";
    list += std::invoke(name, element);
  }
  return list + "]";
}

Result<void> check_defined(const std::vector<KeyPart>& keys, const Definitions& definitions) {
  std::set<std::string> missing;
  for (const auto& key : keys) {
    if (find_definition(definitions, key.name) == nullptr) missing.insert(key.name);
  }
  if (missing.empty()) return {};
  return refuse(Fault::kKeysNotDefined, {listed(keys, &KeyPart::name), listed(definitions, &KeyElement::name)});
}

// One partition and at most one sort attribute, or up to four of each for a global index.
Result<model::KeySchema> make_keys(const std::vector<KeyPart>& keys, const Definitions& definitions, bool several) {
  PARTITA_TRY_VOID(check_defined(keys, definitions));
  if (keys.front().role != KeyRole::kHash) return refuse(Fault::kFirstKeyNotHash);
  model::KeySchema schema;
  for (size_t i = 0; i < keys.size(); ++i) {
    const bool twice = std::ranges::count(keys, keys[i].name, &KeyPart::name) > 1;
    if (twice) return refuse(Fault::kSameHashAndRange);
    const bool hash = keys[i].role == KeyRole::kHash;
    const bool misplaced = hash && (!schema.sort.empty() || (!several && i > 0));
    if (misplaced) return refuse(Fault::kSecondKeyNotRange);
    auto& elements = hash ? schema.partition : schema.sort;
    if (elements.size() == model::kMaxIndexKeys) {
      return refuse(Fault::kIndexTooManyKeys, {hash ? "HASH" : "RANGE", std::to_string(model::kMaxIndexKeys)});
    }
    elements.push_back(*find_definition(definitions, keys[i].name));
  }
  return schema;
}

Result<Projection> make_projection(const IndexRequest& request) {
  Projection projection;
  if (!request.projection) return refuse(Fault::kProjectionTypeMissing);
  projection.kind = *request.projection;
  if (projection.kind != ProjectionKind::kInclude && request.projected) {
    return refuse(Fault::kProjectionAttributesGiven, {projection.kind == ProjectionKind::kAll ? "ALL" : "KEYS_ONLY"});
  }
  if (projection.kind == ProjectionKind::kInclude) {
    if (!request.projected) return refuse(Fault::kProjectionAttributesMissing);
    projection.attributes = *request.projected;
  }
  return projection;
}

Result<void> check_billing(const TableRequest& request, BillingMode mode) {
  if (mode == BillingMode::kPayPerRequest && request.throughput) return refuse(Fault::kThroughputOnDemand);
  if (mode == BillingMode::kProvisioned && !request.throughput) return refuse(Fault::kThroughputMissing);
  return {};
}

Result<void> check_definitions(const TableRequest& request) {
  std::set<std::string> defined;
  for (const auto& definition : request.definitions) {
    if (!defined.insert(definition.name).second) return refuse(Fault::kDuplicateDefinition, {definition.name});
  }
  if (request.keys.size() > request.definitions.size()) return refuse(Fault::kKeyWithoutDefinition);
  return {};
}

// Every definition is some key's.
Result<void> check_all_used(const TableRequest& request) {
  std::vector<std::string> used;
  auto use = [&](const std::vector<KeyPart>& keys) {
    for (const auto& key : keys) {
      if (std::ranges::find(used, key.name) == used.end()) used.push_back(key.name);
    }
  };
  use(request.keys);
  for (const auto* indexes : {&request.local_indexes, &request.global_indexes}) {
    if (!*indexes) continue;
    for (const auto& index : **indexes) use(index.keys);
  }
  for (const auto& definition : request.definitions) {
    if (std::ranges::find(used, definition.name) != used.end()) continue;
    if (!request.local_indexes && !request.global_indexes) return refuse(Fault::kDefinitionsNotMatched);
    return refuse(Fault::kDefinitionsNotUsed,
                  {listed(request.definitions, &KeyElement::name), listed(used, std::identity())});
  }
  return {};
}

Result<void> check_local(const TableInfo& table, const IndexInfo& index) {
  if (index.keys.sort.empty()) return refuse(Fault::kIndexWithoutRange, {index.name});
  if (index.keys.partition != table.keys.partition) {
    return refuse(Fault::kIndexOtherHash,
                  {index.name, index.keys.partition.front().name, table.keys.partition.front().name});
  }
  return {};
}

Result<void> add_index(TableInfo& table, const IndexRequest& request) {
  PARTITA_TRY(IndexInfo index, make_index(request, table.attribute_definitions, table.billing_mode));
  if (!index.global) PARTITA_TRY_VOID(check_local(table, index));
  if (table.find_index(index.name) != nullptr) return refuse(Fault::kDuplicateIndexName, {index.name});
  index.id = table.next_index_id++;
  index.status = Status::kActive;
  table.indexes.push_back(std::move(index));
  return {};
}

Result<void> add_indexes(TableInfo& table, const TableRequest& request) {
  if (request.local_indexes) {
    if (request.local_indexes->empty()) return refuse(Fault::kLocalIndexesEmpty);
    if (table.keys.sort.empty()) return refuse(Fault::kLocalIndexWithoutSortKey);
    for (const auto& index : *request.local_indexes) PARTITA_TRY_VOID(add_index(table, index));
    if (request.local_indexes->size() > model::kMaxLocalIndexes) return refuse(Fault::kTooManyLocalIndexes);
  }
  if (request.global_indexes) {
    if (request.global_indexes->empty()) return refuse(Fault::kGlobalIndexesEmpty);
    for (const auto& index : *request.global_indexes) PARTITA_TRY_VOID(add_index(table, index));
    if (request.global_indexes->size() > model::kMaxGlobalIndexes) return refuse(Fault::kTooManyGlobalIndexes);
  }
  size_t projected = 0;
  for (const auto& index : table.indexes) projected += index.projection.attributes.size();
  if (projected > model::kMaxProjectedAttributes) return refuse(Fault::kProjectionAttributesTooMany);
  return {};
}

Result<TableInfo> make_table(const TableRequest& request, int64_t now_ms) {
  TableInfo table;
  table.name = request.name;
  table.billing_mode = request.billing_mode.value_or(BillingMode::kProvisioned);
  PARTITA_TRY_VOID(check_billing(request, table.billing_mode));
  PARTITA_TRY_VOID(check_definitions(request));
  PARTITA_TRY(table.keys, make_keys(request.keys, request.definitions, false));
  table.attribute_definitions = request.definitions;
  if (request.local_indexes && request.local_indexes->empty()) return refuse(Fault::kLocalIndexesEmpty);
  PARTITA_TRY_VOID(add_indexes(table, request));
  PARTITA_TRY_VOID(check_all_used(request));
  if (request.throughput) {
    table.throughput.read_units = request.throughput->read_units;
    table.throughput.write_units = request.throughput->write_units;
  }
  if (table.billing_mode == BillingMode::kPayPerRequest) table.billing_changed_ms = now_ms;
  table.on_demand = request.on_demand;
  table.warm = request.warm;
  table.deletion_protection = request.deletion_protection;
  table.table_class = request.table_class;
  table.encryption = request.encryption;
  table.stream = request.stream;
  table.tags = request.tags;
  table.created_ms = now_ms;
  return table;
}

}  // namespace

Result<IndexInfo> make_index(const IndexRequest& request, const Definitions& definitions, BillingMode billing_mode) {
  IndexInfo index;
  index.name = request.name;
  index.global = request.global;
  PARTITA_TRY(index.keys, make_keys(request.keys, definitions, request.global));
  PARTITA_TRY(index.projection, make_projection(request));
  if (index.global && billing_mode == BillingMode::kProvisioned && !request.throughput) {
    return refuse(Fault::kIndexThroughputMissing, {index.name});
  }
  if (index.global && billing_mode == BillingMode::kPayPerRequest && request.throughput) {
    return refuse(Fault::kIndexThroughputOnDemand, {index.name});
  }
  if (request.throughput) {
    index.throughput.read_units = request.throughput->read_units;
    index.throughput.write_units = request.throughput->write_units;
  }
  index.on_demand = request.on_demand;
  index.warm = request.warm;
  return index;
}

Task<Result<Table>> create_table(Database& database, const TableRequest& request) {
  // A name that is on its way out is free in a moment.
  const Table known = database.catalog().find(request.name);
  if (known != nullptr && known->status == Status::kDeleting) {
    PARTITA_CO_TRY_VOID(co_await database.idle_table(request.name));
  }
  const int64_t now_ms = database.clock().now_ms();
  PARTITA_CO_TRY(TableInfo table, make_table(request, now_ms));
  table.uuid = database.random().uuid();
  table.status = Status::kCreating;
  table.settles_at_ms = now_ms + database.options().creating_ms;
  co_return co_await database.catalog().create(std::move(table));
}

}  // namespace partita::table
