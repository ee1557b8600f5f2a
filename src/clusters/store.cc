#include "clusters/store.h"

#include <algorithm>
#include <utility>

#include "clusters/rows.h"
#include "model/fault.h"
#include "storage/range_cursor.h"
#include "table/rows/system_rows.h"

namespace partita::clusters {

namespace {

using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

using Found = std::span<const Record* const>;

// The rows of a change: the cluster and the groups that it names.
std::vector<Key> keys_of(const StateNames& names) {
  std::vector<Key> keys{cluster_key()};
  if (!names.parameter_group.empty()) keys.push_back(parameter_group_key(names.parameter_group));
  if (!names.subnet_group.empty()) keys.push_back(subnet_group_key(names.subnet_group));
  return keys;
}

Result<State> state_of(Found found, const StateNames& names, int64_t now_ms) {
  State state;
  state.now_ms = now_ms;
  size_t at = 0;
  if (const Record* const row = found[at++]) {
    PARTITA_TRY(state.cluster, cluster_from(row->value));
    settle(state.cluster, now_ms);
  }
  if (!names.parameter_group.empty()) {
    if (const Record* const row = found[at++]) {
      PARTITA_TRY(state.parameters, parameter_group_from(row->value));
    } else if (names.parameter_group == kDefaultParameterGroup) {
      state.parameters = default_parameters();
    }
  }
  if (!names.subnet_group.empty()) {
    if (const Record* const row = found[at++]) {
      PARTITA_TRY(state.subnets, subnet_group_from(row->value));
    } else if (names.subnet_group == kDefaultSubnetGroup) {
      state.subnets = default_subnets();
    }
  }
  return state;
}

void store(const Key& key, const Record* before, std::optional<std::string> after, Changes& changes) {
  if (after && (before == nullptr || before->value != *after)) {
    table::put_twice(key, *std::move(after), changes);
  } else if (!after && before != nullptr) {
    table::erase_twice(key, changes);
  }
}

template <class Part, class RowOf>
std::optional<std::string> row_if(const std::optional<Part>& part, RowOf row_of) {
  return part ? std::optional<std::string>(row_of(*part)) : std::nullopt;
}

// A default group has a row only once it was changed.
void store_state(const State& state, Found found, const std::vector<Key>& keys, const StateNames& names,
                 Changes& changes) {
  size_t at = 0;
  store(keys[at], found[at], row_if(state.cluster, cluster_row), changes);
  if (!names.parameter_group.empty() && (found[++at] != nullptr || state.parameters != default_parameters())) {
    store(keys[at], found[at], row_if(state.parameters, parameter_group_row), changes);
  }
  if (!names.subnet_group.empty() && (found[++at] != nullptr || state.subnets != default_subnets())) {
    store(keys[at], found[at], row_if(state.subnets, subnet_group_row), changes);
  }
}

// The keys of events that are too old, or that new ones displace.
Task<Result<std::vector<Key>>> surplus_events(table::TableContext& context) {
  constexpr size_t kMostNew = 2 * kMostNodes;
  const int64_t now_ms = context.clock().now_ms();
  std::vector<Key> keys;
  size_t old = 0;
  storage::RangeCursor cursor(context.engine(), all_events());
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await cursor.next());
    if (!more) break;
    const auto event = event_from(cursor.row().value);
    if (!event.ok() || now_ms - event->at_ms > kEventsKeptMs) old = keys.size() + 1;
    keys.push_back(table::key_of_row(cursor.row().key));
  }
  const size_t displaced = keys.size() - std::min(keys.size(), kMostEvents - kMostNew);
  keys.resize(std::max(old, displaced));
  co_return keys;
}

// Those of a range, in order.
template <class Part>
Task<Result<std::vector<Part>>> read_range(storage::Engine& engine, storage::Range range,
                                           Result<Part> (*part_from)(std::string_view row)) {
  std::vector<Part> parts;
  storage::RangeCursor cursor(engine, std::move(range));
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await cursor.next());
    if (!more) break;
    PARTITA_CO_TRY(Part part, part_from(cursor.row().value));
    parts.push_back(std::move(part));
  }
  co_return parts;
}

// Adds a part that is there without a row.
template <class Part>
void add_default(Part part, std::vector<Part>& parts) {
  const auto place = std::ranges::lower_bound(parts, part.name, {}, &Part::name);
  if (place == parts.end() || place->name != part.name) parts.insert(place, std::move(part));
}

}  // namespace

Task<Result<State>> change_state(table::TableContext& context, StateNames names, StateChange change) {
  const int64_t now_ms = context.clock().now_ms();
  const uint64_t number = context.random().next();
  PARTITA_CO_TRY(const std::vector<Key> surplus, co_await surplus_events(context));
  const std::vector<Key> keys = keys_of(names);
  Result<State> outcome = State();
  const storage::Decide decide = [&](Found found, Changes& changes) {
    outcome = state_of(found, names, now_ms);
    if (!outcome.ok()) return Decision::kRefuse;
    if (auto changed = change(*outcome); !changed.ok()) {
      outcome = std::move(changed).error();
      return Decision::kRefuse;
    }
    store_state(*outcome, found, keys, names, changes);
    for (const Key& key : surplus) table::erase_twice(key, changes);
    uint64_t of_event = number;
    for (Event& event : outcome->events) {
      event.number = of_event++;
      table::put_twice(event_key(event), event_row(event), changes);
    }
    return Decision::kCommit;
  };
  std::vector<Key> read = keys;
  std::vector<storage::Compare> nothing;
  const auto done = co_await context.engine().transact(std::move(read), std::move(nothing), decide);
  if (!done.ok() && done.error().kind() == ErrorKind::kConflict) {
    co_return model::refuse(model::Fault::kClusterBusy);
  }
  if (!done.ok()) co_return done.error();
  co_return std::move(outcome);
}

Task<Result<std::optional<Cluster>>> read_cluster(table::TableContext& context) {
  const std::vector<Key> keys{cluster_key()};
  PARTITA_CO_TRY(const std::vector<std::optional<Record>> found, co_await context.engine().read(keys));
  std::optional<Cluster> cluster;
  if (found[0]) {
    PARTITA_CO_TRY(cluster, cluster_from(found[0]->value));
    settle(cluster, context.clock().now_ms());
  }
  co_return cluster;
}

Task<Result<std::vector<ParameterGroup>>> read_parameter_groups(table::TableContext& context) {
  PARTITA_CO_TRY(std::vector<ParameterGroup> groups,
                 co_await read_range<ParameterGroup>(context.engine(), all_parameter_groups(), &parameter_group_from));
  add_default(default_parameters(), groups);
  co_return groups;
}

Task<Result<std::vector<SubnetGroup>>> read_subnet_groups(table::TableContext& context) {
  PARTITA_CO_TRY(std::vector<SubnetGroup> groups,
                 co_await read_range<SubnetGroup>(context.engine(), all_subnet_groups(), &subnet_group_from));
  add_default(default_subnets(), groups);
  co_return groups;
}

Task<Result<std::vector<Event>>> read_events(table::TableContext& context) {
  PARTITA_CO_TRY(std::vector<Event> events, co_await read_range<Event>(context.engine(), all_events(), &event_from));
  const int64_t now_ms = context.clock().now_ms();
  std::erase_if(events, [&](const Event& event) { return event.at_ms > now_ms; });
  std::ranges::reverse(events);
  co_return events;
}

}  // namespace partita::clusters
