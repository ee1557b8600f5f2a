#include "table/control/update_rules.h"

#include <algorithm>

#include "model/fault.h"
#include "table/control/capacity_rules.h"
#include "table/rows/vector_rows.h"

namespace partita::table {

namespace {

using model::Fault;
using model::refuse;

bool has_index_updates(const api::UpdateTableRequest& update) { return !update.all_indexes().empty(); }

// How many changes the request asks for. Empty structures count as absent; so do definitions, which only serve an
// index.
int changes_in(const api::UpdateTableRequest& update) {
  return int{update.billing_mode.has_value()} + int{update.throughput.has_value()} + int{!update.on_demand.empty()} +
         int{!update.warm.empty()} + int{update.deletion_protection.has_value()} + int{update.table_class.has_value()} +
         int{update.encryption.has_value()} + int{update.stream.has_value()} +
         int{update.replication_mode.has_value()} + int{has_index_updates(update)};
}

Result<void> check_entry(const api::IndexUpdate& one, const std::string& region) {
  const int actions = int{one.create.has_value()} + int{one.changed.has_value()} + int{one.dropped.has_value()};
  if (actions == 0) return refuse(Fault::kIndexUpdateAmbiguous);
  if (actions > 1) return refuse(Fault::kIndexUpdateSeveral);
  const auto& units = one.create ? one.create->throughput : one.throughput;
  PARTITA_TRY_VOID(check_bounds(units, {one.name(), region}));
  if (one.warm && one.warm->empty()) return refuse(Fault::kWarmWithoutUnits, {one.name()});
  return {};
}

Result<void> check_vector_entry(const api::IndexUpdate& one) {
  if (!one.create && !one.dropped) return refuse(Fault::kVectorUpdateAmbiguous);
  if (one.create && one.dropped) return refuse(Fault::kVectorUpdateSeveral);
  return {};
}

Result<void> check_entries(const api::UpdateTableRequest& update) {
  if (update.indexes && update.indexes->empty()) return refuse(Fault::kIndexUpdatesEmpty);
  if (update.vector_indexes && update.vector_indexes->empty()) {
    return refuse(Fault::kVectorIndexesEmpty, {"VectorIndexUpdates"});
  }
  for (const api::IndexUpdate& one : update.indexes.value_or(std::vector<api::IndexUpdate>())) {
    PARTITA_TRY_VOID(check_entry(one, update.region));
  }
  for (const api::IndexUpdate& one : update.vector_indexes.value_or(std::vector<api::IndexUpdate>())) {
    PARTITA_TRY_VOID(check_vector_entry(one));
  }
  std::vector<std::string> names;
  for (const api::IndexUpdate* each : update.all_indexes()) {
    const api::IndexUpdate& one = *each;
    if (std::ranges::find(names, one.name()) != names.end()) return refuse(Fault::kIndexUpdatedTwice, {one.name()});
    names.push_back(one.name());
  }
  return {};
}

bool makes_index(const api::UpdateTableRequest& update) {
  return std::ranges::any_of(update.all_indexes(), [](const auto* one) { return one->create.has_value(); });
}

// The order in which DynamoDB names what must be changed alone.
Result<void> check_alone(const api::UpdateTableRequest& update, int changes) {
  if (changes < 2) return {};
  if (update.encryption) return refuse(Fault::kOnlyOperation, {"Server-Side Encryption"});
  if (update.table_class) return refuse(Fault::kOnlyOperation, {"TableClass"});
  if (update.deletion_protection) return refuse(Fault::kOnlyOperation, {"DeletionProtection"});
  if (!update.on_demand.empty() && !(changes == 2 && update.billing_mode)) {
    return refuse(Fault::kLimitsOnlyWithBilling);
  }
  if (!update.warm.empty()) return refuse(makes_index(update) ? Fault::kIndexWithWarm : Fault::kWarmOnlyOperation);
  return {};
}

bool is_index_at_work(const IndexInfo& index) {
  return index.status == Status::kCreating || index.status == Status::kDeleting;
}

// "gsi1, gsi2": the indexes of that status that are not backfilling.
std::string names_at_work(const TableInfo& table, Status status) {
  std::string names;
  for (const auto& index : table.indexes) {
    if (index.status != status || index.backfilling) continue;
    if (!names.empty()) names += ", ";
    names += index.name;
  }
  return names;
}

// What the request asks for, as far as other changes stand in its way.
struct RequestedChanges {
  bool units = false;
  bool billing_again = false;  // the mode that it has
  bool stream = false;
  bool table_class = false;
  bool limits = false;
  bool index = false;
};

RequestedChanges asked_of(const TableInfo& table, const api::UpdateTableRequest& update) {
  const bool switches = update.billing_mode && *update.billing_mode != table.billing_mode;
  return {.units = switches || update.throughput,
          .billing_again = update.billing_mode && !switches,
          .stream = update.stream.has_value(),
          .table_class = update.table_class.has_value(),
          .limits = !update.on_demand.empty(),
          .index = update.makes_or_drops_index()};
}

Result<void> admit_during_units(const TableInfo& table, const RequestedChanges& asked) {
  if (asked.units || asked.billing_again) return refuse(Fault::kThroughputDuringThroughput, {table.name});
  if (asked.stream) return refuse(Fault::kStreamDuringThroughput, {table.name});
  if (asked.table_class) return refuse(Fault::kClassDuringThroughput, {table.name});
  if (asked.limits) return refuse(Fault::kLimitsDuringBilling, {table.name});
  if (asked.index) return refuse(Fault::kIndexDuringThroughput, {table.name});
  return {};
}

Result<void> admit_during_class(const TableInfo& table, const RequestedChanges& asked) {
  const std::vector<std::string> args{table.name, table.next_table_class};
  if (asked.units) return refuse(Fault::kThroughputDuringClass, args);
  if (asked.stream) return refuse(Fault::kStreamDuringClass, args);
  if (asked.table_class) return refuse(Fault::kClassDuringClass, args);
  if (asked.limits) return refuse(Fault::kLimitsDuringClass, args);
  if (asked.index) return refuse(Fault::kIndexDuringClass, args);
  return {};
}

Result<void> admit_during_stream(const TableInfo& table, const RequestedChanges& asked) {
  const std::vector<std::string> args{table.name, table.stream.enabled ? "ENABLE" : "DISABLE"};
  if (asked.units) return refuse(Fault::kThroughputDuringStream, args);
  if (asked.stream) return refuse(Fault::kStreamDuringStream, args);
  if (asked.table_class) return refuse(Fault::kClassDuringStream, args);
  if (asked.limits) return refuse(Fault::kLimitsDuringStream, args);
  if (asked.index) return refuse(Fault::kIndexDuringStream, args);
  return {};
}

Result<void> admit_during_index(const TableInfo& table, const RequestedChanges& asked) {
  for (const Status status : {Status::kCreating, Status::kDeleting}) {
    const std::string names = names_at_work(table, status);
    if (names.empty()) continue;
    const bool made = status == Status::kCreating;
    if (asked.units) return refuse(Fault::kThroughputDuringIndex, {table.name, made ? "created" : "deleted", names});
    if (asked.stream) return refuse(Fault::kStreamDuringIndex, {table.name, made ? "created" : "deleted", names});
    if (asked.limits) return refuse(Fault::kLimitsDuringIndex, {table.name, made ? "creation" : "deletion", names});
  }
  return {};
}

Result<void> admit_creation(const TableInfo& table, const api::IndexRequest& request) {
  const IndexInfo* index = table.find_index(request.name);
  if (index == nullptr) return {};
  if (index->status == Status::kDeleting) return refuse(Fault::kIndexInUse, {table.name, index->name, "deleted"});
  return refuse(Fault::kIndexExists);
}

Result<void> admit_index(const TableInfo& table, const api::IndexUpdate& one, bool of_vectors) {
  if (one.create) return admit_creation(table, *one.create);
  const std::string& name = one.name();
  const IndexInfo* index = table.find_index(name);
  if (index == nullptr || (of_vectors && !index->vector))
    return refuse(Fault::kIndexOfTableNotFound, {name, table.name});
  if (!of_vectors && !index->is_global_secondary())
    return refuse(Fault::kIndexNotGlobal, {one.dropped ? "delete" : "update", name});
  if (index->status == Status::kDeleting) return refuse(Fault::kIndexInUse, {table.name, name, "deleted"});
  // Once it is backfilling it is changed and dropped like any other: "Phases of index creation", developer guide.
  if (index->status == Status::kCreating && !index->backfilling) {
    return refuse(one.dropped ? Fault::kIndexAllocated : Fault::kIndexNotBackfilling, {table.name, name});
  }
  if (index->settles_at_ms != 0) return refuse(Fault::kIndexInUse, {table.name, name, "updated"});
  return {};
}

}  // namespace

Result<void> check_update(const api::UpdateTableRequest& update) {
  const int changes = changes_in(update);
  // DynamoDB looks for the table before an empty structure fails; see admit_update().
  if (changes == 0 && !update.names_throughput) return refuse(Fault::kNothingToUpdate);
  PARTITA_TRY_VOID(check_bounds(update.throughput, {"", update.region}));
  PARTITA_TRY_VOID(check_entries(update));
  PARTITA_TRY_VOID(check_alone(update, changes));
  const bool provisioned = update.billing_mode == api::BillingMode::kProvisioned;
  const bool index = update.makes_or_drops_index();
  if (index && update.stream) return refuse(Fault::kIndexWithStream);
  if (update.stream && (update.throughput || provisioned)) return refuse(Fault::kStreamWithThroughput);
  if (update.billing_mode == api::BillingMode::kPayPerRequest && update.throughput) {
    return refuse(Fault::kThroughputWithOnDemand);
  }
  if (provisioned && !update.throughput) return refuse(Fault::kThroughputMissingOnUpdate);
  if (index && update.throughput) return refuse(Fault::kIndexWithThroughput);
  return {};
}

Result<void> admit_indexes(const TableInfo& table, const api::UpdateTableRequest& update) {
  ptrdiff_t online = std::ranges::count_if(table.indexes, is_index_at_work);
  const size_t secondary = update.indexes ? update.indexes->size() : 0;
  const std::vector<const api::IndexUpdate*> all = update.all_indexes();
  const auto makes_or_drops = [](const api::IndexUpdate* one) { return one->create || one->dropped; };
  // Of several DynamoDB says so before it looks which indexes there are.
  if (std::ranges::count_if(all, makes_or_drops) > 1) return refuse(Fault::kOneOnlineIndex);
  for (size_t i = 0; i < all.size(); ++i) {
    const api::IndexUpdate& one = *all[i];
    PARTITA_TRY_VOID(admit_index(table, one, i >= secondary));
    const IndexInfo* index = table.find_index(one.name());
    const bool counted = index != nullptr && is_index_at_work(*index);  // one that is dropped while it is filled
    if ((one.create || one.dropped) && !counted) ++online;
  }
  if (update.makes_or_drops_index() && online > 1) return refuse(Fault::kOneOnlineIndex);
  return {};
}

Result<void> admit_update(const TableInfo& table, const api::UpdateTableRequest& update) {
  if (changes_in(update) == 0) return refuse(Fault::kNothingToUpdate);
  const bool on_demand = table.billing_mode == api::BillingMode::kPayPerRequest;
  if (on_demand && update.throughput && !update.billing_mode) return refuse(Fault::kThroughputOnDemand);
  if (update.billing_mode == api::BillingMode::kProvisioned && has_vectors(table)) {
    return refuse(Fault::kVectorsKeepOnDemand);
  }
  const RequestedChanges asked = asked_of(table, update);
  switch (table.job) {
    case TableJob::kThroughput:
    case TableJob::kBilling:
      PARTITA_TRY_VOID(admit_during_units(table, asked));
      break;
    case TableJob::kTableClass:
      PARTITA_TRY_VOID(admit_during_class(table, asked));
      break;
    case TableJob::kStream:
      PARTITA_TRY_VOID(admit_during_stream(table, asked));
      break;
    case TableJob::kIndex:
    case TableJob::kNone:
      break;
  }
  if (update.encryption && table.next_encryption) return refuse(Fault::kEncryptionDuringEncryption);
  return admit_during_index(table, asked);
}

Result<void> admit_deletion(const TableInfo& table) {
  if (table.status == Status::kCreating) return refuse(Fault::kTableInUse, {table.name, "created"});
  if (table.status == Status::kDeleting) return refuse(Fault::kTableInUse, {table.name, "deleted"});
  const bool index_at_work = std::ranges::any_of(table.indexes, [](const IndexInfo& index) {
    return index.status != Status::kActive || index.settles_at_ms != 0;
  });
  if (index_at_work) return refuse(Fault::kIndexesAtWork);
  if (table.job == TableJob::kStream) return refuse(Fault::kStreamAtWork);
  const bool job = table.job != TableJob::kNone && table.job != TableJob::kIndex;
  const bool busy = job || table.next_encryption || table.next_warm;
  if (busy) return refuse(Fault::kTableBusy, {table.name});
  return {};
}

}  // namespace partita::table
