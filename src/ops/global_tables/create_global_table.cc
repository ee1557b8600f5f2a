#include <algorithm>

#include "model/fault.h"
#include "ops/global_tables/global_tables.h"
#include "ops/json_codec.h"
#include "ops/tables/table_request.h"

namespace partita::ops {

namespace {

using model::Fault;
using wire::Field;

// AWS refuses this operation since 2026, whether or not the tables exist. Errors in the request come first.
struct CreateGlobalTable : NeverReplies {
  using Execution = ControlExecutionOf<CreateGlobalTable>;
  using Request = api::CreateGlobalTableRequest;

  static constexpr wire::Member kReplicaMembers[] = {{"RegionName", &wire::shapes::kText}};
  static constexpr wire::Shape kReplica{
      .kind = wire::ShapeKind::kStructure, .name = "Replica", .members = kReplicaMembers};
  static constexpr wire::Shape kReplicas{.kind = wire::ShapeKind::kList, .element = &kReplica};
  static constexpr wire::Member kMembers[] = {
      {"GlobalTableName", &kGlobalTableName, wire::Absence::kNull},
      {"ReplicationGroup", &kReplicas, wire::Absence::kNull},
  };
  static constexpr wire::Shape kShape{
      .kind = wire::ShapeKind::kStructure, .name = "CreateGlobalTableInput", .members = kMembers};

  static Result<Request> decode(const wire::Members& in) {
    Request request{.name = std::string(in.text(Field::kGlobalTableName)), .regions = {}};
    for (const wire::JsonValue replica : in[Field::kReplicationGroup].elements()) {
      request.regions.push_back(decode_text(wire::Members(replica, kReplica), Field::kRegionName));
    }
    return request;
  }

  static Subject subject(Request& request) { return {.global_table = &request.name}; }

  static Task<Result<api::Empty>> run(const Context& /*context*/, const Request& request) {
    if (request.regions.empty()) co_return model::refuse(Fault::kReplicationGroupEmpty);
    const auto is_named = [](const std::optional<std::string>& region) { return region.has_value(); };
    if (!std::ranges::all_of(request.regions, is_named)) co_return model::refuse(Fault::kReplicaWithoutRegion);
    co_return model::refuse(Fault::kGlobalTablesOfOldVersion);
  }
};

}  // namespace

constinit const JsonCodec create_global_table = json_codec<CreateGlobalTable>(CreateGlobalTable::kShape);

}  // namespace partita::ops
