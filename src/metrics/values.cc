// The values of a minute from two counts.
#include <algorithm>
#include <ranges>
#include <span>
#include <utility>

#include "metrics/recorder.h"

namespace partita::metrics {

namespace {

// What was counted in between. A count that has shrunk began again.
uint64_t between(uint64_t before, uint64_t after) { return after >= before ? after - before : after; }

void add_events(MinuteValues::mapped_type& out, Metric metric, uint64_t before, uint64_t after) {
  const uint64_t events = between(before, after);
  if (events == 0) return;
  out[metric] = {events, static_cast<int64_t>(events), 1, 1};
}

// Those of all limits as `all`, and those of each under its own name, from `first` on.
void add_throttles(MinuteValues::mapped_type& out, Metric all, Metric first,
                   std::span<const uint64_t, model::kThroughputLimits> before,
                   std::span<const uint64_t, model::kThroughputLimits> after) {
  uint64_t sum = 0;
  for (size_t limit = 0; limit < after.size(); ++limit) {
    const auto own = static_cast<Metric>(static_cast<size_t>(first) + limit);
    add_events(out, own, before[limit], after[limit]);
    sum += between(before[limit], after[limit]);
  }
  add_events(out, all, 0, sum);
}

void add_amounts(MinuteValues::mapped_type& out, Metric metric, const AmountCounts& before, const AmountCounts& after) {
  const uint64_t samples = between(before.samples, after.samples);
  if (samples == 0) return;
  const auto sum = static_cast<int64_t>(between(static_cast<uint64_t>(before.sum), static_cast<uint64_t>(after.sum)));
  // An extreme may have been noted a moment after its sample was counted.
  const Extremes::Taken extremes = after.extremes.value_or(
      Extremes::Taken{sum / static_cast<int64_t>(samples), sum / static_cast<int64_t>(samples)});
  out[metric] = {samples, sum, extremes.least, extremes.most};
}

void add_level(MinuteValues::mapped_type& out, Metric metric, std::optional<int64_t> level) {
  if (level) out[metric] = {1, *level, *level, *level};
}

MinuteValues::mapped_type capacity_values(const CapacityCounts& before, const CapacityCounts& after) {
  MinuteValues::mapped_type out;
  add_amounts(out, Metric::kConsumedRead, before.read, after.read);
  add_amounts(out, Metric::kConsumedWrite, before.write, after.write);
  add_throttles(out, Metric::kReadThrottles, Metric::kProvisionedReadThrottles, before.read_throttles,
                after.read_throttles);
  add_throttles(out, Metric::kWriteThrottles, Metric::kProvisionedWriteThrottles, before.write_throttles,
                after.write_throttles);
  add_level(out, Metric::kProvisionedRead, after.provisioned_read);
  add_level(out, Metric::kProvisionedWrite, after.provisioned_write);
  add_level(out, Metric::kMaxOnDemandRead, after.max_on_demand_read);
  add_level(out, Metric::kMaxOnDemandWrite, after.max_on_demand_write);
  return out;
}

MinuteValues::mapped_type operation_values(const OperationCounts& before, const OperationCounts& after) {
  MinuteValues::mapped_type out;
  add_events(out, Metric::kThrottledRequests, before.throttled, after.throttled);
  add_events(out, Metric::kSystemErrors, before.server_errors, after.server_errors);
  add_amounts(out, Metric::kReturnedItems, before.returned, after.returned);
  RawValue took;
  for (size_t i = 0; i < kBuckets; ++i) {
    took.buckets[i] = between(before.succeeded[i], after.succeeded[i]);
    took.samples += took.buckets[i];
  }
  if (took.samples == 0) return out;
  took.sum = static_cast<int64_t>(between(before.succeeded_ns, after.succeeded_ns));
  const int64_t mean = took.sum / static_cast<int64_t>(took.samples);
  const Extremes::Taken extremes = after.extremes_ns.value_or(Extremes::Taken{mean, mean});
  took.least = extremes.least;
  took.most = extremes.most;
  out[Metric::kLatency] = took;
  return out;
}

template <class List, class Name>
auto found_in(const List& list, const Name& name) {
  using Element = std::ranges::range_value_t<List>;
  const auto found = std::ranges::find(list, name, &Element::name);
  return found == list.end() ? Element{} : *found;
}

void put(MinuteValues& out, SeriesPart part, MinuteValues::mapped_type values) {
  if (!values.empty()) out.emplace(std::move(part), std::move(values));
}

}  // namespace

MinuteValues values_of(const TableCounts* before, const TableCounts& after) {
  static const TableCounts kNothing;
  if (before == nullptr) before = &kNothing;
  MinuteValues out;
  MinuteValues::mapped_type own = capacity_values(before->capacity, after.capacity);
  add_events(own, Metric::kConditionsFailed, before->conditions_failed, after.conditions_failed);
  add_events(own, Metric::kConflicts, before->conflicts, after.conflicts);
  add_events(own, Metric::kExpiredItems, before->expired, after.expired);
  put(out, {Scope::kTable, {}}, std::move(own));
  for (const IndexCounts& index : after.indexes) {
    put(out, {Scope::kIndex, index.name},
        capacity_values(found_in(before->indexes, index.name).capacity, index.capacity));
  }
  for (const OperationCounts& operation : after.operations) {
    put(out, {Scope::kTableOperation, std::string(operation.name)},
        operation_values(found_in(before->operations, operation.name), operation));
  }
  return out;
}

MinuteValues values_of(const ServerCounts& before, const ServerCounts& after) {
  MinuteValues out;
  MinuteValues::mapped_type account;
  add_events(account, Metric::kUserErrors, before.user_errors, after.user_errors);
  put(out, {Scope::kAccount, {}}, std::move(account));
  for (const OperationCounts& operation : after.operations) {
    put(out, {Scope::kOperation, std::string(operation.name)},
        operation_values(found_in(before.operations, operation.name), operation));
  }
  return out;
}

}  // namespace partita::metrics
