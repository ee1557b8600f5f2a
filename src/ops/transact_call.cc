#include "ops/transact_call.h"

#include <algorithm>

namespace partita::ops {

namespace {

// {table: [...]}, when there is any; `collections` come sorted by table.
void write_collections(wire::JsonWriter& json, const std::vector<table::WritesOutcome::Collection>& collections) {
  if (collections.empty()) return;
  json.key("ItemCollectionMetrics");
  json.begin_object();
  const table::TableInfo* open = nullptr;
  for (const auto& [write, bytes] : collections) {
    if (open == nullptr || open->id != write->table->id) {
      if (open != nullptr) json.end_array();
      open = write->table.get();
      json.key(open->name);
      json.begin_array();
    }
    write_collection_metrics(json, *open, write->action->item, bytes);
  }
  json.end_array();
  json.end_object();
}

}  // namespace

void add_by_table(std::vector<table::ConsumedCapacity>& sums, const table::ConsumedCapacity& part) {
  const auto sum = std::ranges::find(sums, part.table, &table::ConsumedCapacity::table);
  if (sum == sums.end()) {
    sums.push_back(part);
  } else {
    sum->add(part);
  }
}

void write_costs(wire::JsonWriter& json, const table::WritesPlan& plan, const table::WritesOutcome& outcome,
                 CapacityDetail detail) {
  if (detail != CapacityDetail::kNone) {
    std::vector<table::ConsumedCapacity> sums;
    for (const auto& written : outcome.written) add_by_table(sums, written.change.consumed);
    CapacityKind kind = CapacityKind::kPlain;
    if (plan.transaction != nullptr) {
      kind = outcome.repeated ? CapacityKind::kTransactionRead : CapacityKind::kTransactionWrite;
    }
    write_capacity_list(json, sums, detail, kind);
  }
  write_collections(json, outcome.collections);
}

}  // namespace partita::ops
