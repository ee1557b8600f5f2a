#include <algorithm>

#include "model/fault.h"
#include "model/limits.h"
#include "table/tables.h"

namespace partita::table {

namespace {

using model::Fault;
using model::refuse;

// "created", "updated" or "deleted", as the fault says it.
std::string being(Status status) {
  switch (status) {
    case Status::kCreating:
      return "created";
    case Status::kDeleting:
      return "deleted";
    default:
      return "updated";
  }
}

bool is_busy(const IndexInfo& index) { return index.status != Status::kActive; }

Result<void> check_idle(const TableInfo& table, int64_t now_ms) {
  const Status status = table.status_at(now_ms);
  if (status != Status::kActive) return refuse(Fault::kTableInUse, {table.name, being(status)});
  return {};
}

void set_units(Throughput& throughput, const ThroughputRequest& wanted, int64_t now_ms) {
  if (wanted.read_units > throughput.read_units || wanted.write_units > throughput.write_units) {
    throughput.last_increase_ms = now_ms;
  }
  if (wanted.read_units < throughput.read_units || wanted.write_units < throughput.write_units) {
    throughput.last_decrease_ms = now_ms;
    ++throughput.decreases_today;
  }
  throughput.read_units = wanted.read_units;
  throughput.write_units = wanted.write_units;
}

Result<void> change_billing(TableInfo& table, const TableUpdate& update, int64_t now_ms) {
  const BillingMode mode = update.billing_mode.value_or(table.billing_mode);
  if (mode == BillingMode::kPayPerRequest) {
    if (update.throughput) return refuse(Fault::kThroughputOnDemand);
    if (table.billing_mode != mode) {
      table.billing_changed_ms = now_ms;
      table.throughput.read_units = table.throughput.write_units = 0;
      for (auto& index : table.indexes) index.throughput.read_units = index.throughput.write_units = 0;
    }
    table.billing_mode = mode;
    return {};
  }
  if (update.billing_mode && !update.throughput) return refuse(Fault::kThroughputMissingOnUpdate);
  table.billing_mode = mode;
  if (!update.throughput) return {};
  const Throughput& now = table.throughput;
  const ThroughputRequest& wanted = *update.throughput;
  if (now.read_units == wanted.read_units && now.write_units == wanted.write_units) {
    return refuse(Fault::kThroughputUnchanged, {std::to_string(now.read_units), std::to_string(wanted.read_units),
                                                std::to_string(now.write_units), std::to_string(wanted.write_units)});
  }
  set_units(table.throughput, wanted, now_ms);
  return {};
}

// An index that is made new is defined by the request's definitions and those that the table has.
void add_definitions(TableInfo& table, const std::vector<model::KeyElement>& definitions) {
  for (const auto& definition : definitions) {
    if (table.find_definition(definition.name) == nullptr) table.attribute_definitions.push_back(definition);
  }
}

// Definitions that no key uses any more go with the index that used them.
void drop_definitions(TableInfo& table) {
  std::erase_if(table.attribute_definitions, [&](const model::KeyElement& definition) {
    return !table.keys.names(definition.name) && std::ranges::none_of(table.indexes, [&](const IndexInfo& index) {
      return index.status != Status::kDeleting && index.keys.names(definition.name);
    });
  });
}

Result<void> create_index(TableInfo& table, const TableUpdate& update, const IndexRequest& request) {
  if (table.find_index(request.name) != nullptr) return refuse(Fault::kIndexExists);
  add_definitions(table, update.definitions);
  PARTITA_TRY(IndexInfo index, make_index(request, table.attribute_definitions, table.billing_mode));
  const auto globals = std::ranges::count_if(table.indexes, [](const IndexInfo& other) { return other.global; });
  if (static_cast<size_t>(globals) >= model::kMaxGlobalIndexes) return refuse(Fault::kTooManyGlobalIndexes);
  size_t projected = index.projection.attributes.size();
  for (const auto& other : table.indexes) projected += other.projection.attributes.size();
  if (projected > model::kMaxProjectedAttributes) return refuse(Fault::kProjectionAttributesTooMany);
  index.id = table.next_index_id++;
  index.status = Status::kCreating;
  table.indexes.push_back(std::move(index));
  drop_definitions(table);
  return {};
}

Result<IndexInfo*> idle_global_index(TableInfo& table, const std::string& name) {
  IndexInfo* index = table.find_index(name);
  if (index == nullptr || !index->global) return refuse(Fault::kResourceNotFound);
  if (is_busy(*index)) return refuse(Fault::kIndexInUse, {table.name, name, being(index->status)});
  return index;
}

Result<void> change_index(TableInfo& table, const IndexUpdate& update, int64_t now_ms) {
  PARTITA_TRY(IndexInfo * index, idle_global_index(table, update.changed));
  if (update.throughput) {
    if (table.billing_mode == BillingMode::kPayPerRequest) return refuse(Fault::kThroughputOnDemand);
    set_units(index->throughput, *update.throughput, now_ms);
  }
  if (update.on_demand.max_read_units) index->on_demand.max_read_units = update.on_demand.max_read_units;
  if (update.on_demand.max_write_units) index->on_demand.max_write_units = update.on_demand.max_write_units;
  if (update.warm) index->warm = update.warm;
  return {};
}

Result<void> change_indexes(TableInfo& table, const TableUpdate& update, int64_t now_ms) {
  const auto busy = std::ranges::count_if(table.indexes, is_busy);
  for (const IndexUpdate& one : update.indexes) {
    if (one.create) {
      if (busy > 0) return refuse(Fault::kOneOnlineIndex);
      PARTITA_TRY_VOID(create_index(table, update, *one.create));
    } else if (!one.dropped.empty()) {
      PARTITA_TRY(IndexInfo * index, idle_global_index(table, one.dropped));
      index->status = Status::kDeleting;
      drop_definitions(table);
    } else {
      PARTITA_TRY_VOID(change_index(table, one, now_ms));
    }
  }
  return {};
}

void change_settings(TableInfo& table, const TableUpdate& update, int64_t now_ms) {
  if (update.on_demand) {
    if (update.on_demand->max_read_units) table.on_demand.max_read_units = update.on_demand->max_read_units;
    if (update.on_demand->max_write_units) table.on_demand.max_write_units = update.on_demand->max_write_units;
  }
  if (update.warm) table.warm = update.warm;
  if (update.deletion_protection) table.deletion_protection = *update.deletion_protection;
  if (update.table_class && table.table_class != *update.table_class) {
    table.table_class = *update.table_class;
    table.table_class_changed_ms = now_ms;
  }
  if (update.encryption) table.encryption = update.encryption;
  if (update.stream) table.stream = *update.stream;
}

// What can be said against the request alone.
Result<void> check_update(const TableUpdate& update) {
  if (update.empty()) return refuse(Fault::kNothingToUpdate);
  if (update.billing_mode == BillingMode::kPayPerRequest && update.throughput) {
    return refuse(Fault::kThroughputOnDemand);
  }
  std::vector<std::string> names;
  size_t online = 0;
  for (const IndexUpdate& one : update.indexes) {
    const std::string& name = one.create ? one.create->name : one.dropped.empty() ? one.changed : one.dropped;
    if (name.empty()) return refuse(Fault::kIndexUpdateAmbiguous);
    if (std::ranges::find(names, name) != names.end()) return refuse(Fault::kIndexUpdatedTwice, {name});
    names.push_back(name);
    online += one.create || !one.dropped.empty() ? 1 : 0;
  }
  if (online > 1) return refuse(Fault::kOneOnlineIndex);
  return {};
}

}  // namespace

bool TableUpdate::empty() const {
  return !billing_mode && !throughput && !on_demand && !warm && !deletion_protection && !table_class && !encryption &&
         !stream && indexes.empty();
}

Task<Result<Table>> update_table(Database& database, const TableUpdate& update) {
  PARTITA_CO_TRY_VOID(check_update(update));
  PARTITA_CO_TRY_VOID(co_await database.settled_table(update.name));
  const int64_t now_ms = database.clock().now_ms();
  const int64_t settles_at_ms = now_ms + database.options().updating_ms;
  const Catalog::Change change = [&](TableInfo& table) -> Result<void> {
    PARTITA_TRY_VOID(check_idle(table, now_ms));
    PARTITA_TRY_VOID(change_billing(table, update, now_ms));
    PARTITA_TRY_VOID(change_indexes(table, update, now_ms));
    change_settings(table, update, now_ms);
    table.status = Status::kUpdating;
    table.settles_at_ms = settles_at_ms;
    return {};
  };
  auto changed = co_await database.catalog().change(update.name, change);
  database.upkeep().poke();
  co_return changed;
}

Task<Result<Table>> delete_table(Database& database, std::string name) {
  PARTITA_CO_TRY_VOID(co_await database.settled_table(name));
  const int64_t now_ms = database.clock().now_ms();
  const Catalog::Change change = [&](TableInfo& table) -> Result<void> {
    const Status status = table.status_at(now_ms);
    const bool index_at_work = std::ranges::any_of(table.indexes, is_busy);
    if (status != Status::kActive || index_at_work) {
      return refuse(Fault::kTableInUse, {table.name, being(status)});
    }
    if (table.deletion_protection) return refuse(Fault::kTableProtected);
    table.status = Status::kDeleting;
    return {};
  };
  auto changed = co_await database.catalog().change(name, change);
  database.upkeep().poke();
  co_return changed;
}

}  // namespace partita::table
