#include "model/fault.h"
#include "ops/global_tables/global_tables.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

struct UpdateGlobalTableSettings : NamesGlobalTable {
  using Execution = ControlExecutionOf<UpdateGlobalTableSettings>;
  using Member = wire::Member;
  using Shape = wire::Shape;
  using ShapeKind = wire::ShapeKind;

  static constexpr std::string_view kBillingModes[] = {"PROVISIONED", "PAY_PER_REQUEST"};
  static constexpr std::string_view kTableClasses[] = {"STANDARD", "STANDARD_INFREQUENT_ACCESS"};
  static constexpr Shape kBillingMode{.kind = ShapeKind::kString, .values = kBillingModes};
  static constexpr Shape kTableClass{.kind = ShapeKind::kString, .values = kTableClasses};

  static constexpr Member kIndexMembers[] = {
      Member::unread("IndexName", &wire::shapes::kControlIndexName, wire::Absence::kNull),
      Member::unread("ProvisionedWriteCapacityUnits", &auto_scaling::kUnits),
      Member::unread("ProvisionedWriteCapacityAutoScalingSettingsUpdate", &auto_scaling::kSettings),
  };
  static constexpr Shape kIndex{
      .kind = ShapeKind::kStructure, .name = "GlobalTableGlobalSecondaryIndexSettingsUpdate", .members = kIndexMembers};
  static constexpr Shape kIndexes{.kind = ShapeKind::kList, .element = &kIndex, .min = 1, .max = 20};

  static constexpr Member kReplicaIndexMembers[] = {
      Member::unread("IndexName", &wire::shapes::kControlIndexName, wire::Absence::kNull),
      Member::unread("ProvisionedReadCapacityUnits", &auto_scaling::kUnits),
      Member::unread("ProvisionedReadCapacityAutoScalingSettingsUpdate", &auto_scaling::kSettings),
  };
  static constexpr Shape kReplicaIndex{.kind = ShapeKind::kStructure,
                                       .name = "ReplicaGlobalSecondaryIndexSettingsUpdate",
                                       .members = kReplicaIndexMembers};
  static constexpr Shape kReplicaIndexes{.kind = ShapeKind::kList, .element = &kReplicaIndex, .min = 1, .max = 20};

  static constexpr Member kReplicaMembers[] = {
      Member::unread("RegionName", &wire::shapes::kText, wire::Absence::kNull),
      Member::unread("ReplicaProvisionedReadCapacityUnits", &auto_scaling::kUnits),
      Member::unread("ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate", &auto_scaling::kSettings),
      Member::unread("ReplicaGlobalSecondaryIndexSettingsUpdate", &kReplicaIndexes),
      Member::unread("ReplicaTableClass", &kTableClass),
  };
  static constexpr Shape kReplica{
      .kind = ShapeKind::kStructure, .name = "ReplicaSettingsUpdate", .members = kReplicaMembers};
  static constexpr Shape kReplicas{.kind = ShapeKind::kList, .element = &kReplica, .min = 1, .max = 50};

  static constexpr Member kMembers[] = {
      {"GlobalTableName", &kGlobalTableName, wire::Absence::kNull},
      Member::unread("GlobalTableBillingMode", &kBillingMode),
      Member::unread("GlobalTableProvisionedWriteCapacityUnits", &auto_scaling::kUnits),
      Member::unread("GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate", &auto_scaling::kSettings),
      Member::unread("GlobalTableGlobalSecondaryIndexSettingsUpdate", &kIndexes),
      Member::unread("ReplicaSettingsUpdate", &kReplicas),
  };
  static constexpr Shape kShape{
      .kind = ShapeKind::kStructure, .name = "UpdateGlobalTableSettingsInput", .members = kMembers};

  static Task<Result<api::Empty>> run(const Context& /*context*/, const Request& request) {
    std::vector<std::string> args{request.name};
    co_return model::refuse(model::Fault::kGlobalTableNotFound, std::move(args));
  }
};

}  // namespace

constinit const JsonCodec update_global_table_settings =
    json_codec<UpdateGlobalTableSettings>(UpdateGlobalTableSettings::kShape);

}  // namespace partita::ops
