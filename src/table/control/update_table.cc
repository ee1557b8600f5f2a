#include <algorithm>

#include "model/fault.h"
#include "model/limits.h"
#include "table/control/capacity_rules.h"
#include "table/control/index_rules.h"
#include "table/control/settings_rules.h"
#include "table/control/tables.h"
#include "table/control/update_rules.h"
#include "table/rows/vector_rows.h"

namespace partita::table {

namespace {

using model::Fault;
using model::KeyElement;
using model::refuse;

constexpr int64_t kThirtyDaysMs = 30LL * 24 * 60 * 60 * 1000;

// One update in the making.
struct DescriptionChange {
  TableInfo& table;
  const api::UpdateTableRequest& update;
  int64_t now_ms;
  int64_t due_ms;  // when what takes a moment is done

  void begin(TableJob job) {
    table.status = Status::kUpdating;
    table.settles_at_ms = due_ms;
    table.job = job;
  }
  // DynamoDB answers UPDATING to a change without effect; the table is ACTIVE in the next description.
  void pretend() {
    if (table.status != Status::kActive) return;
    table.status = Status::kUpdating;
    table.settles_at_ms = now_ms + 1;
  }
  void begin_index(IndexInfo& index) { index.settles_at_ms = due_ms; }
  CapacityOf whose(const std::string& index = "") const { return {index, update.region}; }
};

const api::IndexUpdate* update_of(const api::UpdateTableRequest& update, const std::string& index) {
  if (!update.indexes) return nullptr;
  const auto found = std::ranges::find_if(*update.indexes, [&](const auto& one) { return one.changed == index; });
  return found == update.indexes->end() ? nullptr : &*found;
}

void set_units(Throughput& throughput, const api::Units& units) {
  throughput.read_units = units.read;
  throughput.write_units = units.write;
  throughput.next.reset();
}

// The units of the table and of its indexes change at once, and the answer shows them.
Result<void> provision(DescriptionChange& change) {
  TableInfo& table = change.table;
  for (const IndexInfo& index : table.indexes) {
    const api::IndexUpdate* one = update_of(change.update, index.name);
    if (!index.global || (one != nullptr && one->throughput)) continue;
    return refuse(Fault::kIndexThroughputMissingOnSwitch, {index.name});
  }
  PARTITA_TRY_VOID(check_maximum(change.update.throughput, change.whose()));
  set_units(table.throughput, *change.update.throughput);
  for (IndexInfo& index : table.indexes) {
    if (!index.global) continue;
    const api::IndexUpdate* one = update_of(change.update, index.name);
    PARTITA_CHECK(one != nullptr && one->throughput);
    PARTITA_TRY_VOID(check_maximum(one->throughput, change.whose(index.name)));
    set_units(index.throughput, *one->throughput);
  }
  return {};
}

void make_on_demand(DescriptionChange& change) {
  set_units(change.table.throughput, {});
  for (IndexInfo& index : change.table.indexes) {
    if (!index.global) continue;
    // Of an index, not of a table, DynamoDB counts it as a decrease.
    index.throughput.decreases_today = index.throughput.decreases_on(change.now_ms) + 1;
    index.throughput.last_decrease_ms = change.now_ms;
    set_units(index.throughput, {});
  }
}

Result<void> change_billing(DescriptionChange& change) {
  TableInfo& table = change.table;
  const auto& update = change.update;
  const api::BillingMode mode = update.billing_mode.value_or(table.billing_mode);
  if (mode == table.billing_mode) {
    if (!update.throughput) {
      if (update.billing_mode) change.pretend();
      return {};
    }
    PARTITA_TRY_VOID(change_units(table.throughput, *update.throughput, change.whose(), change.now_ms, change.due_ms));
    change.begin(TableJob::kThroughput);
    return {};
  }
  if (mode == api::BillingMode::kProvisioned) {
    PARTITA_TRY_VOID(provision(change));
  } else {
    make_on_demand(change);
  }
  table.billing_mode = mode;
  table.on_demand = {};
  table.limits_settle_at_ms = 0;
  for (IndexInfo& index : table.indexes) {
    if (!index.global || index.status == Status::kDeleting) continue;
    index.on_demand = {};
    index.limits_settle_at_ms = 0;
    change.begin_index(index);
  }
  change.begin(TableJob::kBilling);
  return {};
}

// "pk:S:HASH"
std::string spelled(const KeyElement& element, bool hash) {
  return element.name + ":" + std::string(model::type_name(element.type)) + (hash ? ":HASH" : ":RANGE");
}

bool is_partition_key(const TableInfo& table, const std::string& name) {
  const auto in = [&](const model::KeySchema& keys) {
    return std::ranges::find(keys.partition, name, &KeyElement::name) != keys.partition.end();
  };
  return in(table.keys) || std::ranges::any_of(table.indexes, [&](const auto& index) { return in(index.keys); });
}

// The request's definitions serve the new index and nothing else: what it does not name is passed over. Precondition:
// all that is named is defined.
Result<Definitions> definitions_with(const DescriptionChange& change, const std::vector<api::KeyPart>& named) {
  Definitions definitions = change.table.attribute_definitions;
  for (const api::KeyPart& key : named) {
    const auto& sent = change.update.definitions;
    const auto wanted = std::ranges::find(sent, key.name, &KeyElement::name);
    PARTITA_CHECK(wanted != sent.end());
    const KeyElement* known = change.table.find_definition(key.name);
    if (known == nullptr) {
      definitions.push_back(*wanted);
    } else if (known->type != wanted->type) {
      return refuse(Fault::kDefinitionChanged, {spelled(*known, is_partition_key(change.table, key.name)),
                                                spelled(*wanted, key.role == api::KeyRole::kHash)});
    }
  }
  return definitions;
}

// A vector cannot be where a key is.
Result<void> check_no_key(const TableInfo& table, const api::VectorRequest& request) {
  const KeyElement* known = table.find_definition(request.attribute);
  if (known == nullptr) return {};
  return refuse(Fault::kVectorRedefinesKey, {spelled(*known, is_partition_key(table, request.attribute)),
                                             request.attribute + ":L:" + std::to_string(request.dimensions)});
}

Result<IndexInfo> make_new_vector_index(DescriptionChange& change, const api::IndexRequest& request) {
  if (change.table.billing_mode != api::BillingMode::kPayPerRequest) return refuse(Fault::kVectorsOnProvisioned);
  PARTITA_TRY_VOID(check_search_schema(*request.vector, change.update.definitions));
  std::vector<api::KeyPart> named;
  for (const auto& element : request.vector->search) {
    named.push_back({element.name, element.hash ? api::KeyRole::kHash : api::KeyRole::kRange});
  }
  PARTITA_TRY(Definitions definitions, definitions_with(change, named));
  PARTITA_TRY_VOID(check_no_key(change.table, *request.vector));
  PARTITA_TRY(IndexInfo index, make_vector_index(change.table, request, definitions));
  if (count_vector_indexes(change.table) >= model::kMaxVectorIndexes) {
    return refuse(Fault::kTooManyVectorIndexesOnUpdate);
  }
  change.table.attribute_definitions = std::move(definitions);
  return index;
}

Result<void> set_index_capacity(const DescriptionChange& change, IndexInfo& index, const api::IndexRequest& request) {
  const api::BillingMode mode = change.table.billing_mode;
  const CapacityOf whose = change.whose(index.name);
  if (mode == api::BillingMode::kProvisioned && !request.throughput) {
    return refuse(Fault::kIndexThroughputMissingOnUpdate, {index.name});
  }
  if (mode == api::BillingMode::kPayPerRequest && request.throughput) {
    return refuse(Fault::kNewIndexThroughputOnDemand, {index.name});
  }
  PARTITA_TRY_VOID(check_new_limits(request.on_demand, mode, whose));
  index.on_demand = request.on_demand;
  const api::WarmRequest warm = request.warm.value_or(api::WarmRequest{});
  PARTITA_TRY(index.warm, new_warmth(warm, mode, index.throughput, whose));
  return check_maximum(request.throughput, whose);
}

Result<IndexInfo> make_new_global_index(DescriptionChange& change, const api::IndexRequest& request) {
  TableInfo& table = change.table;
  if (change.update.definitions.empty()) return refuse(Fault::kDefinitionsMissing, {request.name});
  for (const api::KeyPart& key : request.keys) {
    const auto holds = [&](const IndexInfo& other) { return other.vector && other.vector->attribute == key.name; };
    if (std::ranges::any_of(table.indexes, holds)) return refuse(Fault::kVectorAttributeDefined, {key.name});
  }
  // What the table knows does not count: the request defines every key of the index.
  PARTITA_TRY_VOID(check_defined(request.keys, change.update.definitions));
  PARTITA_TRY(Definitions definitions, definitions_with(change, request.keys));
  PARTITA_TRY(IndexInfo index, make_index(request));
  PARTITA_TRY(index.keys, make_keys(request.keys, definitions, true));
  PARTITA_TRY_VOID(set_index_capacity(change, index, request));
  const auto globals = std::ranges::count_if(table.indexes, &IndexInfo::is_global_secondary);
  if (static_cast<size_t>(globals) >= model::kMaxGlobalIndexes) return refuse(Fault::kTooManyGlobalIndexesOnUpdate);
  table.attribute_definitions = std::move(definitions);
  return index;
}

Result<void> create_index(DescriptionChange& change, const api::IndexRequest& request) {
  TableInfo& table = change.table;
  PARTITA_TRY(IndexInfo index,
              request.vector ? make_new_vector_index(change, request) : make_new_global_index(change, request));
  std::ranges::sort(table.attribute_definitions, {}, &KeyElement::name);
  index.id = table.next_index_id++;
  index.status = Status::kCreating;
  table.indexes.push_back(std::move(index));
  note_vectors(table);
  return check_projected(table);
}

Result<void> change_index(DescriptionChange& change, const api::IndexUpdate& one, bool switched) {
  IndexInfo* index = change.table.find_index(one.name());
  PARTITA_CHECK(index != nullptr);
  const bool on_demand = change.table.billing_mode == api::BillingMode::kPayPerRequest;
  const bool nothing = !one.throughput && one.on_demand.empty() && !one.warm;
  if (on_demand && (one.throughput || nothing)) return refuse(Fault::kIndexUpdateOnDemand, {index->name});
  if (nothing) return refuse(Fault::kIndexThroughputMissingOnUpdate, {index->name});
  const CapacityOf whose = change.whose(index->name);
  if (one.throughput && !switched) {
    PARTITA_TRY_VOID(change_units(index->throughput, *one.throughput, whose, change.now_ms, change.due_ms));
  }
  if (!one.on_demand.empty()) {
    PARTITA_TRY_VOID(change_limits(index->on_demand, one.on_demand, change.table.billing_mode, whose));
    index->limits_settle_at_ms = change.due_ms;
  }
  if (one.warm) {
    PARTITA_TRY(const WarmThroughput warm, raised_warmth(index->warm, *one.warm, whose));
    index->next_warm = {warm, change.due_ms};
  }
  if (one.throughput || !one.on_demand.empty()) change.begin_index(*index);
  return {};
}

Result<void> change_indexes(DescriptionChange& change, bool switched) {
  for (const api::IndexUpdate* each : change.update.all_indexes()) {
    const api::IndexUpdate& one = *each;
    if (one.create) {
      PARTITA_TRY_VOID(create_index(change, *one.create));
    } else if (one.dropped) {
      IndexInfo* dropped = change.table.find_index(one.name());
      dropped->status = Status::kDeleting;
      dropped->backfilling = false;
    } else {
      PARTITA_TRY_VOID(change_index(change, one, switched));
    }
  }
  const bool idle = change.table.job == TableJob::kNone || change.table.job == TableJob::kIndex;
  if (idle && change.update.makes_or_drops_index()) change.begin(TableJob::kIndex);
  return {};
}

Result<void> change_table_class(DescriptionChange& change, const std::string& wanted) {
  TableInfo& table = change.table;
  const bool spent =
      table.table_class_changed_before_ms != 0 && change.now_ms - table.table_class_changed_before_ms < kThirtyDaysMs;
  if (spent) return refuse(Fault::kTableClassLimited);
  const std::string now = table.table_class.empty() ? "STANDARD" : table.table_class;
  if (wanted == now) {
    change.pretend();
    return {};
  }
  table.next_table_class = wanted;
  change.begin(TableJob::kTableClass);
  return {};
}

Result<void> change_settings(DescriptionChange& change) {
  TableInfo& table = change.table;
  const api::UpdateTableRequest& update = change.update;
  if (!update.on_demand.empty()) {
    PARTITA_TRY_VOID(change_limits(table.on_demand, update.on_demand, table.billing_mode, change.whose()));
    table.limits_settle_at_ms = change.due_ms;
  }
  if (!update.warm.empty()) {
    PARTITA_TRY(const WarmThroughput warm, raised_warmth(table.warm, update.warm, change.whose()));
    table.next_warm = {warm, change.due_ms};
  }
  if (update.deletion_protection) table.deletion_protection = *update.deletion_protection;
  if (update.table_class) PARTITA_TRY_VOID(change_table_class(change, *update.table_class));
  if (update.encryption) {
    PARTITA_TRY(const Encryption wanted, wanted_encryption(*update.encryption));
    PARTITA_TRY_VOID(change_encryption(table, wanted, change.due_ms));
  }
  if (update.stream) {
    PARTITA_TRY_VOID(change_stream(table, *update.stream, change.now_ms));
    if (table.job != TableJob::kBilling) change.begin(TableJob::kStream);
  }
  if (update.replication_mode == "ENABLED_WITH_OVERRIDES") return refuse(Fault::kReplicationOverrides);
  if (update.replication_mode) table.replication_mode = *update.replication_mode;
  return {};
}

}  // namespace

Result<void> apply_update(TableInfo& table, const api::UpdateTableRequest& update, int64_t now_ms, int64_t due_ms) {
  DescriptionChange change{table, update, now_ms, due_ms};
  table.settle(now_ms);
  if (table.status == Status::kCreating) return refuse(Fault::kTableInUse, {table.name, "created"});
  if (table.status == Status::kDeleting) return refuse(Fault::kTableInUse, {table.name, "deleted"});
  PARTITA_TRY_VOID(admit_indexes(table, update));
  PARTITA_TRY_VOID(admit_update(table, update));
  const api::BillingMode mode_before = table.billing_mode;
  PARTITA_TRY_VOID(change_billing(change));
  PARTITA_TRY_VOID(change_indexes(change, table.billing_mode != mode_before));
  return change_settings(change);
}

Result<void> apply_deletion(TableInfo& table, int64_t now_ms) {
  table.settle(now_ms);
  PARTITA_TRY_VOID(admit_deletion(table));
  if (table.deletion_protection) return refuse(Fault::kTableProtected);
  table.status = Status::kDeleting;
  return {};
}

Task<Result<Table>> update_table(TableContext& context, const api::UpdateTableRequest& update) {
  PARTITA_CO_TRY_VOID(check_update(update));
  PARTITA_CO_TRY_VOID(co_await context.settled_table(update.name));
  const int64_t now_ms = context.clock().now_ms();
  const int64_t due_ms = now_ms + context.options().updating_ms;
  const Catalog::Change change = [&](TableInfo& table) { return apply_update(table, update, now_ms, due_ms); };
  auto changed = co_await context.catalog().change(update.name, change);
  context.wake_jobs();
  co_return changed;
}

namespace {

api::UpdateTableRequest request_for_units(const TableInfo& table, const std::string& index, bool write, int64_t units) {
  const IndexInfo* const indexed = index.empty() ? nullptr : table.find_index(index);
  const Throughput& now = indexed == nullptr ? table.throughput : indexed->throughput;
  const api::Units wanted = write ? api::Units{now.read_units, units} : api::Units{units, now.write_units};
  api::UpdateTableRequest request;
  request.name = table.name;
  if (index.empty()) {
    request.throughput = wanted;
  } else {
    api::IndexUpdate update;
    update.changed = index;
    update.throughput = wanted;
    request.indexes.emplace().push_back(std::move(update));
  }
  return request;
}

}  // namespace

Task<Result<Table>> update_units(TableContext& context, std::string name, std::string index, bool write,
                                 int64_t units) {
  PARTITA_CO_TRY_VOID(co_await context.settled_table(name));
  const int64_t now_ms = context.clock().now_ms();
  const int64_t due_ms = now_ms + context.options().updating_ms;
  const Catalog::Change change = [&](TableInfo& table) {
    table.settle(now_ms);
    return apply_update(table, request_for_units(table, index, write, units), now_ms, due_ms);
  };
  auto changed = co_await context.catalog().change(name, change);
  context.wake_jobs();
  co_return changed;
}

Task<Result<Table>> delete_table(TableContext& context, std::string name) {
  PARTITA_CO_TRY_VOID(co_await context.settled_table(name));
  const int64_t now_ms = context.clock().now_ms();
  const Catalog::Change change = [&](TableInfo& table) { return apply_deletion(table, now_ms); };
  auto changed = co_await context.catalog().change(name, change);
  context.wake_jobs();
  co_return changed;
}

}  // namespace partita::table
