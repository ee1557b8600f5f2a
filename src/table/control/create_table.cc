#include <algorithm>
#include <set>

#include "model/fault.h"
#include "model/limits.h"
#include "table/control/capacity_rules.h"
#include "table/control/index_rules.h"
#include "table/control/policy.h"
#include "table/control/settings_rules.h"
#include "table/control/tables.h"
#include "table/control/tags.h"
#include "table/rows/stream_rows.h"
#include "table/rows/vector_rows.h"

namespace partita::table {

namespace {

using model::Fault;
using model::refuse;

using Indexes = std::optional<std::vector<api::IndexRequest>>;

Result<void> check_billing(const api::CreateTableRequest& request, api::BillingMode mode) {
  PARTITA_TRY_VOID(check_bounds(request.throughput, {"", request.region}));
  if (mode == api::BillingMode::kPayPerRequest && request.throughput) return refuse(Fault::kThroughputOnDemand);
  if (mode == api::BillingMode::kProvisioned && !request.throughput) return refuse(Fault::kThroughputMissing);
  return {};
}

Result<void> check_definitions(const api::CreateTableRequest& request) {
  std::set<std::string> defined;
  for (const auto& definition : request.definitions) {
    if (!defined.insert(definition.name).second) return refuse(Fault::kDuplicateDefinition, {definition.name});
  }
  if (request.keys.size() > request.definitions.size()) return refuse(Fault::kKeyWithoutDefinition);
  return {};
}

// Every definition is some key's.
Result<void> check_all_used(const api::CreateTableRequest& request) {
  std::vector<std::string> used;
  auto use = [&](const std::vector<api::KeyPart>& keys) {
    for (const auto& key : keys) {
      if (std::ranges::find(used, key.name) == used.end()) used.push_back(key.name);
    }
  };
  use(request.keys);
  for (const Indexes* indexes : {&request.local_indexes, &request.global_indexes}) {
    if (!*indexes) continue;
    for (const auto& index : **indexes) use(index.keys);
  }
  for (const auto& index : request.vector_indexes.value_or(std::vector<api::IndexRequest>())) {
    for (const auto& element : index.vector->search) use({{element.name}});
  }
  for (const auto& definition : request.definitions) {
    if (std::ranges::find(used, definition.name) != used.end()) continue;
    if (!request.local_indexes && !request.global_indexes && !request.vector_indexes) {
      return refuse(Fault::kDefinitionsNotMatched);
    }
    return refuse(Fault::kDefinitionsNotUsed, {listed(names_of(request.definitions)), listed(used)});
  }
  return {};
}

Result<void> check_vector_indexes(const TableInfo& table, const api::CreateTableRequest& request) {
  if (!request.vector_indexes) return {};
  if (request.vector_indexes->empty()) return refuse(Fault::kVectorIndexesEmpty, {"VectorIndexes"});
  if (table.billing_mode != api::BillingMode::kPayPerRequest) return refuse(Fault::kVectorsOnProvisioned);
  for (const auto& index : *request.vector_indexes) {
    PARTITA_TRY_VOID(check_search_schema(*index.vector, request.definitions));
  }
  return {};
}

// DynamoDB looks at the keys of all indexes before it looks at anything else of them.
Result<void> check_index_keys(const TableInfo& table, const api::CreateTableRequest& request) {
  if (request.local_indexes && request.local_indexes->empty()) return refuse(Fault::kLocalIndexesEmpty);
  if (request.global_indexes && request.global_indexes->empty()) return refuse(Fault::kGlobalIndexesEmpty);
  if (request.local_indexes && table.keys.sort.empty()) return refuse(Fault::kLocalIndexWithoutSortKey);
  for (const Indexes* indexes : {&request.local_indexes, &request.global_indexes}) {
    if (!*indexes) continue;
    for (const auto& index : **indexes) {
      PARTITA_TRY_VOID(make_keys(index.keys, request.definitions, index.global));
    }
  }
  PARTITA_TRY_VOID(check_vector_indexes(table, request));
  return check_all_used(request);
}

Result<void> check_local(const TableInfo& table, const IndexInfo& index) {
  if (index.keys.sort.empty()) return refuse(Fault::kIndexWithoutRange, {index.name});
  if (index.keys.partition != table.keys.partition) {
    return refuse(Fault::kIndexOtherHash,
                  {index.name, index.keys.partition.front().name, table.keys.partition.front().name});
  }
  return {};
}

Result<void> set_index_capacity(const TableInfo& table, IndexInfo& index, const api::IndexRequest& request,
                                const std::string& region) {
  const CapacityOf whose{index.name, region};
  PARTITA_TRY_VOID(check_bounds(request.throughput, whose));
  if (table.billing_mode == api::BillingMode::kProvisioned && !request.throughput) {
    return refuse(Fault::kIndexThroughputMissing, {index.name});
  }
  if (table.billing_mode == api::BillingMode::kPayPerRequest && request.throughput) {
    return refuse(Fault::kIndexThroughputOnDemand, {index.name});
  }
  PARTITA_TRY_VOID(check_new_limits(request.on_demand, table.billing_mode, whose));
  index.on_demand = request.on_demand;
  const api::WarmRequest warm = request.warm.value_or(api::WarmRequest{});
  PARTITA_TRY(index.warm, new_warmth(warm, table.billing_mode, index.throughput, whose));
  return check_maximum(request.throughput, whose);
}

Result<IndexInfo> make_new_index(const TableInfo& table, const api::IndexRequest& one,
                                 const api::CreateTableRequest& request) {
  if (one.vector) return make_vector_index(table, one, request.definitions);
  PARTITA_TRY(IndexInfo index, make_index(one));
  PARTITA_TRY(index.keys, make_keys(one.keys, request.definitions, one.global));
  return index;
}

Result<void> add_index(TableInfo& table, const api::IndexRequest& one, const api::CreateTableRequest& request) {
  PARTITA_TRY(IndexInfo index, make_new_index(table, one, request));
  if (one.global && !one.vector) {
    PARTITA_TRY_VOID(set_index_capacity(table, index, one, request.region));
  } else if (!one.vector) {
    PARTITA_TRY_VOID(check_local(table, index));
  }
  if (table.find_index(index.name) != nullptr) return refuse(Fault::kDuplicateIndexName, {index.name});
  index.id = table.next_index_id++;
  index.status = Status::kActive;
  table.indexes.push_back(std::move(index));
  return {};
}

Result<void> add_indexes(TableInfo& table, const api::CreateTableRequest& request) {
  for (const Indexes* indexes : {&request.local_indexes, &request.global_indexes}) {
    if (!*indexes) continue;
    for (const auto& index : **indexes) PARTITA_TRY_VOID(add_index(table, index, request));
    const bool local = indexes == &request.local_indexes;
    const size_t most = local ? model::kMaxLocalIndexes : model::kMaxGlobalIndexes;
    if ((*indexes)->size() > most) return refuse(local ? Fault::kTooManyLocalIndexes : Fault::kTooManyGlobalIndexes);
  }
  if (request.vector_indexes) {
    if (request.vector_indexes->size() > model::kMaxVectorIndexes) return refuse(Fault::kTooManyVectorIndexes);
    for (const auto& index : *request.vector_indexes) PARTITA_TRY_VOID(add_index(table, index, request));
  }
  note_vectors(table);
  return check_projected(table);
}

Result<void> set_capacity(TableInfo& table, const api::CreateTableRequest& request) {
  const CapacityOf whose{"", request.region};
  if (request.throughput) {
    table.throughput.read_units = request.throughput->read;
    table.throughput.write_units = request.throughput->write;
  }
  PARTITA_TRY_VOID(check_new_limits(request.on_demand, table.billing_mode, whose));
  table.on_demand = request.on_demand;
  PARTITA_TRY(table.warm, new_warmth(request.warm, table.billing_mode, table.throughput, whose));
  if (!request.warm.empty()) table.next_warm = {table.warm, table.settles_at_ms};
  return check_maximum(request.throughput, whose);
}

Result<void> set_settings(TableInfo& table, const api::CreateTableRequest& request) {
  table.deletion_protection = request.deletion_protection;
  table.table_class = request.table_class;
  if (request.encryption) {
    PARTITA_TRY(Encryption wanted, wanted_encryption(*request.encryption));
    if (wanted.kms) table.encryption = std::move(wanted);
  }
  PARTITA_TRY_VOID(check_new_stream(request.stream));
  if (request.stream && request.stream->enabled) begin_stream(table, request.stream->view_type, table.created_ms);
  return merge_tags(request.tags, table.tags);
}

Result<TableInfo> make_table(const api::CreateTableRequest& request, int64_t now_ms) {
  TableInfo table;
  table.name = request.name;
  table.created_ms = now_ms;
  table.status = Status::kCreating;
  table.settles_at_ms = now_ms + 1;
  table.billing_mode = request.billing_mode.value_or(api::BillingMode::kProvisioned);
  PARTITA_TRY_VOID(check_billing(request, table.billing_mode));
  PARTITA_TRY_VOID(check_definitions(request));
  PARTITA_TRY(table.keys, make_keys(request.keys, request.definitions, false));
  table.attribute_definitions = request.definitions;
  std::ranges::sort(table.attribute_definitions, {}, &model::KeyElement::name);
  PARTITA_TRY_VOID(check_index_keys(table, request));
  PARTITA_TRY_VOID(add_indexes(table, request));
  PARTITA_TRY_VOID(set_capacity(table, request));
  PARTITA_TRY_VOID(set_settings(table, request));
  return table;
}

// What AWS says of a name that is taken depends on what is being done to the table that has it.
Error name_taken(const TableContext& context, const std::string& name) {
  const Table other = context.catalog().find(name);
  const Status status = other == nullptr ? Status::kActive : other->status_at(context.clock().now_ms());
  if (status == Status::kCreating) return refuse(Fault::kTableInUse, {name, "created"});
  if (status == Status::kDeleting) return refuse(Fault::kTableInUse, {name, "deleted"});
  return refuse(Fault::kTableExists, {name});
}

}  // namespace

Task<Result<Table>> create_table(TableContext& context, const api::CreateTableRequest& request,
                                 const ResourcePolicy* policy) {
  // On a store that an older version shares, a name that is on its way out is free in a moment.
  const Table known = context.catalog().find(request.name);
  if (known != nullptr && known->status == Status::kDeleting) {
    PARTITA_CO_TRY_VOID(co_await context.idle_table(request.name));
  }
  const std::string uuid = context.random().uuid();
  Catalog::ExtraWrites extra;
  if (policy != nullptr) {
    extra = [=](const TableInfo& made, storage::Changes& changes) { put_first_policy(made, *policy, changes); };
  }
  // Streams of one name are told apart by the millisecond in which they began, and two tables may be made in one.
  for (int64_t later_ms = 0;; ++later_ms) {
    PARTITA_CO_TRY(TableInfo creating, make_table(request, context.clock().now_ms() + later_ms));
    creating.uuid = uuid;
    TableInfo table = creating;
    table.settle(creating.settles_at_ms);
    auto created = co_await context.catalog().create(std::move(table), extra);
    const bool taken = !created.ok() && created.error().kind() == ErrorKind::kInvalid &&
                       model::fault_of(created.error()) == Fault::kTableExists;
    if (taken) co_return name_taken(context, request.name);
    if (!created.ok()) co_return created;
    if (*created == nullptr) continue;
    creating.id = (*created)->id;
    creating.tally = (*created)->tally;
    co_return std::make_shared<const TableInfo>(std::move(creating));
  }
}

}  // namespace partita::table
