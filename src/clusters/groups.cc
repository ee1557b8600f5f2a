#include "clusters/groups.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "clusters/checks.h"
#include "clusters/store.h"
#include "model/fault.h"

namespace partita::clusters {

namespace {

using api::EventSource;
using model::Fault;
using model::refuse;

constexpr std::string_view kRecordTtl = "record-ttl-millis";
constexpr std::string_view kQueryTtl = "query-ttl-millis";

// Digits alone.
std::optional<int64_t> ttl_from(std::string_view text) {
  int64_t value = 0;
  if (text.empty() || text[0] == '-') return std::nullopt;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<void> set_parameters(ParameterGroup& group, const api::ParameterGroupRequest& request) {
  constexpr size_t kMostValues = 20;
  if (request.values.empty() || request.values.size() > kMostValues) {
    return refuse(Fault::kClusterValue, {"ParameterNameValues", "must have 1 to 20 parameters"});
  }
  for (const auto& [name, text] : request.values) {
    if (name != kRecordTtl && name != kQueryTtl) {
      return refuse(Fault::kClusterValue,
                    {"ParameterName", "must be record-ttl-millis or query-ttl-millis, not '" + name + "'"});
    }
    const auto value = ttl_from(text);
    if (!value) {
      return refuse(Fault::kClusterValue,
                    {"ParameterValue", "must be a number of milliseconds, 0 or more, not '" + text + "'"});
    }
    (name == kRecordTtl ? group.record_ttl_ms : group.query_ttl_ms) = *value;
  }
  return {};
}

// Those that are named, in that order of names, or all.
template <class Group>
Result<std::vector<Group>> selected(std::vector<Group> all, const std::vector<std::string>& names, Fault not_found) {
  if (names.empty()) return all;
  for (const std::string& name : names) {
    if (std::ranges::find(all, name, &Group::name) == all.end()) return refuse(not_found, {name});
  }
  std::erase_if(all, [&](const Group& one) { return std::ranges::find(names, one.name) == names.end(); });
  return all;
}

Error in_use(std::string_view group) {
  return refuse(Fault::kParameterGroupState, {std::string(group), "is in use by the cluster or by one of its nodes"});
}

Result<void> check_changeable(const std::optional<ParameterGroup>& group, const std::string& name) {
  if (!group) return refuse(Fault::kParameterGroupNotFound, {name});
  if (name != kDefaultParameterGroup) return {};
  return refuse(Fault::kParameterGroupState, {name, "is the default one, which cannot be changed or deleted"});
}

// What no cluster that uses the group may lose.
Result<void> check_lost_subnets(const State& state, const std::vector<std::string>& subnets) {
  if (!state.cluster || state.cluster->subnet_group != state.subnets->name) return {};
  for (const std::string& id : state.subnets->subnets) {
    if (std::ranges::find(subnets, id) == subnets.end()) return refuse(Fault::kSubnetInUse, {id});
  }
  return {};
}

}  // namespace

Task<Result<ParameterGroup>> create_parameter_group(table::TableContext& context,
                                                    const api::ParameterGroupRequest& request) {
  if (request.name != kDefaultParameterGroup) {
    PARTITA_CO_TRY_VOID(check_group_name("ParameterGroupName", request.name));
  }
  PARTITA_CO_TRY_VOID(check_description(request.description));
  PARTITA_CO_TRY(const std::vector<ParameterGroup> known, co_await read_parameter_groups(context));
  StateChange change = [&](State& state) -> Result<void> {
    if (state.parameters) return refuse(Fault::kParameterGroupExists, {request.name});
    if (known.size() > kMostParameterGroups) {
      return refuse(Fault::kParameterGroupQuota, {std::to_string(kMostParameterGroups)});
    }
    state.parameters = ParameterGroup{.name = request.name, .description = request.description};
    state.add_event(EventSource::kParameterGroup, request.name, "Parameter group created.");
    return {};
  };
  StateNames names{request.name, {}};
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return *std::move(state.parameters);
}

Task<Result<ParameterGroup>> update_parameter_group(table::TableContext& context,
                                                    const api::ParameterGroupRequest& request) {
  PARTITA_CO_TRY_VOID(check_group_name("ParameterGroupName", request.name));
  StateChange change = [&request](State& state) -> Result<void> {
    PARTITA_TRY_VOID(check_changeable(state.parameters, request.name));
    PARTITA_TRY_VOID(set_parameters(*state.parameters, request));
    state.add_event(EventSource::kParameterGroup, request.name, "Parameter group updated.");
    return {};
  };
  StateNames names{request.name, {}};
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return *std::move(state.parameters);
}

Task<Result<void>> delete_parameter_group(table::TableContext& context, const std::string& name) {
  PARTITA_CO_TRY_VOID(check_group_name("ParameterGroupName", name));
  StateChange change = [&name](State& state) -> Result<void> {
    PARTITA_TRY_VOID(check_changeable(state.parameters, name));
    if (state.cluster && uses_parameters(*state.cluster, name)) return in_use(name);
    state.parameters.reset();
    state.add_event(EventSource::kParameterGroup, name, "Parameter group deleted.");
    return {};
  };
  StateNames names{name, {}};
  PARTITA_CO_TRY_VOID(co_await change_state(context, std::move(names), std::move(change)));
  co_return Result<void>();
}

Task<Result<PageOf<ParameterGroup>>> list_parameter_groups(table::TableContext& context,
                                                           const api::NamedPageRequest& request) {
  PARTITA_CO_TRY(std::vector<ParameterGroup> all, co_await read_parameter_groups(context));
  PARTITA_CO_TRY(all, selected(std::move(all), request.names, Fault::kParameterGroupNotFound));
  co_return page_by_name(std::move(all), request.page, "parameter-groups:");
}

Task<Result<PageOf<Parameter>>> list_parameters(table::TableContext& context, const api::ParametersRequest& request) {
  static constexpr std::array<std::string_view, 3> kSources{"user", "system", "engine-default"};
  if (request.source && std::ranges::find(kSources, *request.source) == kSources.end()) {
    co_return refuse(Fault::kClusterValue, {"Source", "must be user, system or engine-default"});
  }
  ParameterGroup group = default_parameters();
  if (!request.group.empty()) {
    PARTITA_CO_TRY(const std::vector<ParameterGroup> all, co_await read_parameter_groups(context));
    const auto found = std::ranges::find(all, request.group, &ParameterGroup::name);
    if (found == all.end()) co_return refuse(Fault::kParameterGroupNotFound, {request.group});
    group = *found;
  }
  std::vector<Parameter> all;
  // Both may be set by users.
  if (request.source.value_or("user") == "user") {
    all.push_back({std::string(kQueryTtl), "How long the result of a query stays in the cache, in milliseconds",
                   group.query_ttl_ms});
    all.push_back(
        {std::string(kRecordTtl), "How long an item stays in the cache, in milliseconds", group.record_ttl_ms});
  }
  co_return page_by_name(std::move(all), request.page, "parameters:");
}

Task<Result<SubnetGroup>> create_subnet_group(table::TableContext& context, const api::SubnetGroupRequest& request) {
  PARTITA_CO_TRY_VOID(check_group_name("SubnetGroupName", request.name));
  PARTITA_CO_TRY_VOID(check_description(request.description));
  PARTITA_CO_TRY_VOID(check_subnets(*request.subnets));
  PARTITA_CO_TRY(const std::vector<SubnetGroup> known, co_await read_subnet_groups(context));
  StateChange change = [&](State& state) -> Result<void> {
    if (state.subnets) return refuse(Fault::kSubnetGroupExists, {request.name});
    if (known.size() > kMostSubnetGroups) {
      return refuse(Fault::kSubnetGroupQuota, {std::to_string(kMostSubnetGroups)});
    }
    state.subnets = SubnetGroup{request.name, request.description.value_or(""), *request.subnets};
    state.add_event(EventSource::kSubnetGroup, request.name, "Subnet group created.");
    return {};
  };
  StateNames names{{}, request.name};
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return *std::move(state.subnets);
}

Task<Result<SubnetGroup>> update_subnet_group(table::TableContext& context, const api::SubnetGroupRequest& request) {
  PARTITA_CO_TRY_VOID(check_group_name("SubnetGroupName", request.name));
  PARTITA_CO_TRY_VOID(check_description(request.description));
  if (request.subnets) PARTITA_CO_TRY_VOID(check_subnets(*request.subnets));
  StateChange change = [&request](State& state) -> Result<void> {
    if (!state.subnets) return refuse(Fault::kSubnetGroupNotFound, {request.name});
    if (request.subnets) {
      PARTITA_TRY_VOID(check_lost_subnets(state, *request.subnets));
      state.subnets->subnets = *request.subnets;
    }
    if (request.description) state.subnets->description = *request.description;
    state.add_event(EventSource::kSubnetGroup, request.name, "Subnet group updated.");
    return {};
  };
  StateNames names{{}, request.name};
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return *std::move(state.subnets);
}

Task<Result<void>> delete_subnet_group(table::TableContext& context, const std::string& name) {
  PARTITA_CO_TRY_VOID(check_group_name("SubnetGroupName", name));
  StateChange change = [&name](State& state) -> Result<void> {
    if (!state.subnets) return refuse(Fault::kSubnetGroupNotFound, {name});
    if (name == kDefaultSubnetGroup) {
      return refuse(Fault::kSubnetGroupInUse, {name, "is the default one, which cannot be deleted"});
    }
    if (state.cluster && state.cluster->subnet_group == name) {
      return refuse(Fault::kSubnetGroupInUse, {name, "is in use by the cluster " + state.cluster->name});
    }
    state.subnets.reset();
    state.add_event(EventSource::kSubnetGroup, name, "Subnet group deleted.");
    return {};
  };
  StateNames names{{}, name};
  PARTITA_CO_TRY_VOID(co_await change_state(context, std::move(names), std::move(change)));
  co_return Result<void>();
}

Task<Result<PageOf<SubnetGroup>>> list_subnet_groups(table::TableContext& context,
                                                     const api::NamedPageRequest& request) {
  PARTITA_CO_TRY(std::vector<SubnetGroup> all, co_await read_subnet_groups(context));
  PARTITA_CO_TRY(all, selected(std::move(all), request.names, Fault::kSubnetGroupNotFound));
  co_return page_by_name(std::move(all), request.page, "subnet-groups:");
}

}  // namespace partita::clusters
