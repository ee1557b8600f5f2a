// Reads and changes of what the store has of clusters, each change in one transaction.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "clusters/cluster.h"
#include "table/catalog/table_context.h"

namespace partita::clusters {

// How long events are kept, as AWS keeps them, and how many at most.
inline constexpr int64_t kEventsKeptMs = 14LL * 24 * 60 * 60 * 1000;
inline constexpr size_t kMostEvents = 1'000;

// Which groups a change is about; empty: none.
struct StateNames {
  std::string parameter_group = {};
  std::string subnet_group = {};
};

// As it is at the moment of the change. Absent: there is none. The groups are those of StateNames; the default ones are
// there without a row.
struct State {
  std::optional<Cluster> cluster = {};
  std::optional<ParameterGroup> parameters = {};
  std::optional<SubnetGroup> subnets = {};
  int64_t now_ms = 0;
  std::vector<Event> events = {};  // to be added; their numbers are set by the change

  void add_event(api::EventSource source, std::string name, std::string message, int64_t in_ms = 0) {
    events.push_back({std::move(name), source, std::move(message), now_ms + in_ms, 0});
  }
};

// Changes the state, or nothing if it returns an error. A pure function, which may be called several times.
using StateChange = std::function<Result<void>(State& state)>;

// The state as it is then. Errors: that of `change`; kClusterBusy; those of the engine; kCorrupt.
Task<Result<State>> change_state(table::TableContext& context, StateNames names, StateChange change);

// Absent: there is no cluster. Errors of this and the next ones: those of the engine; kCorrupt.
Task<Result<std::optional<Cluster>>> read_cluster(table::TableContext& context);
// By name, with the default one.
Task<Result<std::vector<ParameterGroup>>> read_parameter_groups(table::TableContext& context);
Task<Result<std::vector<SubnetGroup>>> read_subnet_groups(table::TableContext& context);
// The newest first, without those that are ahead.
Task<Result<std::vector<Event>>> read_events(table::TableContext& context);

}  // namespace partita::clusters
