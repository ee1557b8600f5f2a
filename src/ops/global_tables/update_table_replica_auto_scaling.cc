#include <algorithm>

#include "model/fault.h"
#include "ops/global_tables/global_tables.h"
#include "ops/json_codec.h"
#include "table/control/tables.h"

namespace partita::ops {

namespace {

using model::Fault;
using wire::Field;
using wire::Members;

namespace scaling_shapes {

using wire::Member;
using wire::Shape;
using wire::ShapeKind;

constexpr Member kIndexMembers[] = {
    Member::unread("IndexName", &wire::shapes::kControlIndexName),
    {"ProvisionedWriteCapacityAutoScalingUpdate", &auto_scaling::kSettings},
};
constexpr Shape kIndex{
    .kind = ShapeKind::kStructure, .name = "GlobalSecondaryIndexAutoScalingUpdate", .members = kIndexMembers};
constexpr Shape kIndexes{.kind = ShapeKind::kList, .element = &kIndex, .min = 1};

constexpr Member kReplicaIndexMembers[] = {
    Member::unread("IndexName", &wire::shapes::kControlIndexName),
    {"ProvisionedReadCapacityAutoScalingUpdate", &auto_scaling::kSettings},
};
constexpr Shape kReplicaIndex{.kind = ShapeKind::kStructure,
                              .name = "ReplicaGlobalSecondaryIndexAutoScalingUpdate",
                              .members = kReplicaIndexMembers};
constexpr Shape kReplicaIndexes{.kind = ShapeKind::kList, .element = &kReplicaIndex};

constexpr Member kReplicaMembers[] = {
    {"RegionName", &wire::shapes::kText, wire::Absence::kNull},
    {"ReplicaGlobalSecondaryIndexUpdates", &kReplicaIndexes},
    {"ReplicaProvisionedReadCapacityAutoScalingUpdate", &auto_scaling::kSettings},
};
constexpr Shape kReplica{.kind = ShapeKind::kStructure, .name = "ReplicaAutoScalingUpdate", .members = kReplicaMembers};
constexpr Shape kReplicas{.kind = ShapeKind::kList, .element = &kReplica, .min = 1};

constexpr Member kMembers[] = {
    {"GlobalSecondaryIndexUpdates", &kIndexes},
    {"TableName", &wire::shapes::kControlTableName, wire::Absence::kParameter},
    {"ProvisionedWriteCapacityAutoScalingUpdate", &auto_scaling::kSettings},
    {"ReplicaUpdates", &kReplicas},
};
constexpr Shape kShape{
    .kind = ShapeKind::kStructure, .name = "UpdateTableReplicaAutoScalingInput", .members = kMembers};

}  // namespace scaling_shapes

Error scaling_fault(Fault fault, std::string_view table, std::string detail = {}) {
  return model::refuse(fault, {std::string(table), std::move(detail)});
}

// AutoScalingDisabled excludes the other members. Without it, all of them are required.
Result<void> check_scaling_settings(const Members& in, Field field, std::string_view table) {
  if (!in.has(field)) return {};
  const Members settings = in.in(field);
  const bool disables = settings.flag(Field::kAutoScalingDisabled);
  std::string wrong;
  // In the order in which DynamoDB names them.
  for (const Field one : {Field::kMaximumUnits, Field::kScalingPolicyUpdate, Field::kMinimumUnits}) {
    if (settings.has(one) != disables) continue;
    wrong.append(wrong.empty() ? "'" : ", '").append(wire::name_of(one)).append("'");
  }
  if (wrong.empty()) return {};
  return scaling_fault(disables ? Fault::kScalingParametersGiven : Fault::kScalingParametersMissing, table, wrong);
}

Result<void> check_scaling_of_indexes(const Members& in, Field indexes, Field settings, std::string_view table) {
  if (!in.has(indexes)) return {};
  const wire::Shape& shape = in.element_shape(indexes);
  for (const wire::JsonValue index : in[indexes].elements()) {
    PARTITA_TRY_VOID(check_scaling_settings(Members(index, shape), settings, table));
  }
  return {};
}

Result<void> check_scaling_of_replicas(const Members& in, std::string_view table) {
  constexpr Field kIndexes = Field::kReplicaGlobalSecondaryIndexUpdates;
  constexpr Field kReads = Field::kReplicaProvisionedReadCapacityAutoScalingUpdate;
  std::vector<std::string> regions;
  std::string twice;
  for (const wire::JsonValue entry : in[Field::kReplicaUpdates].elements()) {
    const Members replica(entry, scaling_shapes::kReplica);
    const std::string region(replica.text(Field::kRegionName));
    const bool changes_indexes = replica.has(kIndexes) && replica[kIndexes].size() > 0;
    if (!replica.has(kReads) && !changes_indexes) {
      return scaling_fault(Fault::kScalingUnchangedInRegion, table, region);
    }
    PARTITA_TRY_VOID(check_scaling_settings(replica, kReads, table));
    PARTITA_TRY_VOID(
        check_scaling_of_indexes(replica, kIndexes, Field::kProvisionedReadCapacityAutoScalingUpdate, table));
    const auto times = std::ranges::count(regions, region);
    if (times == 1) twice.append(twice.empty() ? "" : ", ").append(region);
    regions.push_back(region);
  }
  return twice.empty() ? Result<void>() : scaling_fault(Fault::kScalingRegionTwice, table, twice);
}

// Errors in the request come before the missing replicas or the missing table.
struct UpdateTableReplicaAutoScaling : NeverReplies {
  using Execution = ControlExecutionOf<UpdateTableReplicaAutoScaling>;
  using Request = api::NamedTable;

  static Result<Request> decode(const Members& in) {
    constexpr Field kWrites = Field::kProvisionedWriteCapacityAutoScalingUpdate;
    constexpr Field kIndexes = Field::kGlobalSecondaryIndexUpdates;
    const std::string_view table = in.text(Field::kTableName);
    if (!in.has(kWrites) && !in.has(kIndexes) && !in.has(Field::kReplicaUpdates)) {
      return scaling_fault(Fault::kScalingUnchanged, table);
    }
    PARTITA_TRY_VOID(check_scaling_settings(in, kWrites, table));
    PARTITA_TRY_VOID(check_scaling_of_indexes(in, kIndexes, kWrites, table));
    if (in.has(Field::kReplicaUpdates)) PARTITA_TRY_VOID(check_scaling_of_replicas(in, table));
    return Request{std::string(table)};
  }

  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Task<Result<api::Empty>> run(const Context& /*context*/, const Request& request) {
    std::vector<std::string> args{request.name};
    co_return model::refuse(Fault::kTableWithoutReplicas, std::move(args));
  }
};

}  // namespace

constinit const JsonCodec update_table_replica_auto_scaling =
    json_codec<UpdateTableReplicaAutoScaling>(scaling_shapes::kShape);

}  // namespace partita::ops
