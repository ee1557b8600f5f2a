#include "ops/metric_counts.h"

#include <algorithm>
#include <utility>

#include "model/fault.h"
#include "model/fault_detail.h"
#include "ops/execution.h"
#include "ops/operation.h"
#include "ops/operation_counts.h"
#include "ops/request_counts.h"
#include "ops/resource_arn.h"
#include "ops/table_meters.h"
#include "table/open/database.h"
#include "throttle/capacity_limits.h"

namespace partita::ops {

namespace {

using metrics::AmountCounts;
using metrics::CapacityCounts;
using model::Fault;

void widen(std::optional<Extremes::Taken>& extremes, const std::optional<Extremes::Taken>& more) {
  if (!more) return;
  if (!extremes) extremes = more;
  extremes->least = std::min(extremes->least, more->least);
  extremes->most = std::max(extremes->most, more->most);
}

AmountCounts counts_of(table::Amounts& amounts) {
  return {amounts.samples(), amounts.sum(), amounts.extremes().take()};
}

// What tables and indexes have in common.
template <class Owner>
void set_levels(CapacityCounts& counts, const Owner& owner, api::BillingMode mode, int64_t now_ms) {
  if (mode == api::BillingMode::kProvisioned) {
    const auto& next = owner.throughput.next;
    const bool changed = next && table::is_due(next->due_ms, now_ms);
    counts.provisioned_read = changed ? next->value.read : owner.throughput.read_units;
    counts.provisioned_write = changed ? next->value.write : owner.throughput.write_units;
    return;
  }
  const auto limit = [](const std::optional<int64_t>& units) { return units.value_or(0) > 0 ? units : std::nullopt; };
  counts.max_on_demand_read = limit(owner.on_demand.max_read_units);
  counts.max_on_demand_write = limit(owner.on_demand.max_write_units);
}

class Counting {
 public:
  Counting(TableMeters& meters, throttle::CapacityLimits& capacity, std::string_view space, int64_t now_ms)
      : meters_(meters), events_(capacity.events()), space_(space), now_ms_(now_ms) {}

  metrics::TableCounts count(const table::TableInfo& table) {
    metrics::TableCounts counts;
    counts.id = table.id;
    counts.name = table.name;
    counts.expired = table.meters->expired();
    set_levels(counts.capacity, table, table.billing_mode, now_ms_);
    set_throttles(counts.capacity, table.name, {});
    if (table::TableCosts* const costs = meters_.own_costs(table)) set_costs(counts, *costs);
    for (const table::IndexInfo& index : table.indexes) {
      if (!index.is_global_secondary()) continue;
      metrics::IndexCounts& one = counts.indexes.emplace_back();
      one.name = index.name;
      one.capacity.read = counts_of(index.costs->read);
      one.capacity.write = counts_of(index.costs->write);
      set_levels(one.capacity, index, table.billing_mode, now_ms_);
      set_throttles(one.capacity, table.name, index.name);
    }
    const auto add_operation = [&](const Operation& operation, table::OperationMeters& line) {
      metrics::OperationCounts& one = counts.operations.emplace_back();
      one.name = operation.name;
      set_succeeded(one, line.took.totals(), line.failed.totals());
      one.extremes_ns = line.succeeded.take();
      one.throttled = line.throttled.load(std::memory_order_relaxed);
      one.server_errors = line.server_errors.load(std::memory_order_relaxed);
      one.returned = counts_of(line.returned);
    };
    meters_.each_operation(table, add_operation);
    return counts;
  }

 private:
  void set_throttles(CapacityCounts& counts, std::string_view table, std::string_view index) const {
    for (const throttle::ThrottleEvents& one : events_) {
      if (one.space != space_ || one.table != table || one.index != index) continue;
      for (size_t limit = 0; limit < one.refused.size(); ++limit) {
        counts.read_throttles[limit] += one.refused[limit].read;
        counts.write_throttles[limit] += one.refused[limit].write;
      }
    }
  }

  static void set_costs(metrics::TableCounts& counts, table::TableCosts& costs) {
    const table::TableCosts::Own own = costs.own();
    counts.capacity.read = {own.reads, own.consumed.read, std::nullopt};
    counts.capacity.write = {own.writes, own.consumed.write, std::nullopt};
    counts.conditions_failed = own.conditions_failed;
    counts.conflicts = own.conflicts;
    costs.each_extremes([&](Extremes& read, Extremes& write) {
      widen(counts.capacity.read.extremes, read.take());
      widen(counts.capacity.write.extremes, write.take());
    });
  }

  TableMeters& meters_;
  const std::vector<throttle::ThrottleEvents> events_;
  const std::string_view space_;
  const int64_t now_ms_;
};

table::Failure failure_of(const Error& reason) {
  if (reason.kind() == ErrorKind::kConflict) return table::Failure::kConflict;
  if (reason.kind() != ErrorKind::kInvalid) return table::Failure::kNone;
  if (model::fault_of(reason) == Fault::kConditionFailed) return table::Failure::kConditionFailed;
  return model::fault_of(reason) == Fault::kTransactionConflict ? table::Failure::kConflict : table::Failure::kNone;
}

}  // namespace

metrics::ServerCounts count_all(table::Database& database, RequestCounts& requests, TableMeters& meters,
                                throttle::CapacityLimits& capacity, std::string_view space) {
  metrics::ServerCounts counts;
  Counting counting(meters, capacity, space, database.clock().now_ms());
  for (const table::Table& table : database.catalog().all()) {
    if (table->status != table::Status::kDeleting) counts.tables.push_back(counting.count(*table));
  }
  counts.operations = requests.operation_counts();
  counts.user_errors = requests.user_errors();
  return counts;
}

table::Failure failure_of(wire::Exception exception) {
  if (exception == wire::Exception::kCount) return table::Failure::kNone;
  if (is_throttle(exception)) return table::Failure::kThrottled;
  if (exception == wire::Exception::kConditionalCheckFailed) return table::Failure::kConditionFailed;
  if (exception == wire::Exception::kTransactionConflict) return table::Failure::kConflict;
  return wire::name_of(exception).status >= 500 ? table::Failure::kOfServer : table::Failure::kOfCaller;
}

void count_reasons(const Error& error, Execution& execution, const Context& context) {
  const auto* const cancelled = dynamic_cast<const model::TransactionCancelledDetail*>(error.detail().get());
  if (cancelled == nullptr) return;
  size_t part = 0;
  auto count = [&](const std::string& name_or_arn, std::string_view /*index*/, table::Verb /*verb*/) {
    const size_t at = part++;
    if (at >= cancelled->reasons.size() || !cancelled->reasons[at].error) return;
    const table::Failure failure = failure_of(*cancelled->reasons[at].error);
    const auto name = table_name_of(name_or_arn, context);
    const table::Table table = name.ok() ? context.database.catalog().find(*name) : nullptr;
    table::TableCosts* const costs = table == nullptr ? nullptr : table->meters->costs();
    if (costs == nullptr) return;
    if (failure == table::Failure::kConditionFailed) costs->fail_condition();
    if (failure == table::Failure::kConflict) costs->meet_conflict();
  };
  execution.visit_names(count);
}

}  // namespace partita::ops
