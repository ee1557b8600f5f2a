// What the operations on global tables share. No table has replicas, and AWS no longer makes global tables of version
// 2017.11.29, so most of these operations always fail.
#pragma once

#include <string>

#include "api/global_tables.h"
#include "base/check.h"
#include "ops/control_execution.h"
#include "wire/members.h"
#include "wire/shapes_common.h"

namespace partita::ops {

// Base of an operation whose run() always fails, so there is no reply to encode.
struct NeverReplies {
  using Reply = api::Empty;
  static std::string encode(const Context& /*context*/, const api::Empty& /*done*/) { PARTITA_CHECK(false); }
};

inline constexpr wire::Shape kGlobalTableName{
    .kind = wire::ShapeKind::kString, .min = 3, .max = 255, .name_pattern = true};
inline constexpr wire::Member kNamedGlobalTableMembers[] = {
    {"GlobalTableName", &kGlobalTableName, wire::Absence::kNull}};

// Base of DescribeGlobalTable and of the two operations on settings, which read only the name.
struct NamesGlobalTable : NeverReplies {
  using Request = api::NamedGlobalTable;
  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kGlobalTableName))};
  }
  static Subject subject(Request& request) { return {.global_table = &request.name}; }
};

namespace auto_scaling {

using wire::Member;
using wire::Shape;
using wire::ShapeKind;
using wire::shapes::kFlag;
using wire::shapes::kText;

inline constexpr Shape kUnits{.kind = ShapeKind::kLong, .min = 1};
inline constexpr Shape kSeconds{.kind = ShapeKind::kInteger};
inline constexpr Shape kPercent{.kind = ShapeKind::kDouble};
inline constexpr Shape kRoleArn{.kind = ShapeKind::kString, .min = 1, .max = 1600};
inline constexpr Shape kPolicyName{.kind = ShapeKind::kString, .min = 1, .max = 256};

inline constexpr Member kTargetMembers[] = {
    Member::unread("DisableScaleIn", &kFlag),
    Member::unread("ScaleInCooldown", &kSeconds),
    Member::unread("ScaleOutCooldown", &kSeconds),
    Member::unread("TargetValue", &kPercent, wire::Absence::kNull),
};
inline constexpr Shape kTarget{.kind = ShapeKind::kStructure,
                               .name = "AutoScalingTargetTrackingScalingPolicyConfigurationUpdate",
                               .members = kTargetMembers};
inline constexpr Member kPolicyMembers[] = {
    Member::unread("PolicyName", &kPolicyName),
    Member::unread("TargetTrackingScalingPolicyConfiguration", &kTarget, wire::Absence::kNull),
};
inline constexpr Shape kPolicy{
    .kind = ShapeKind::kStructure, .name = "AutoScalingPolicyUpdate", .members = kPolicyMembers};
inline constexpr Member kSettingsMembers[] = {
    {"MinimumUnits", &kUnits},         {"MaximumUnits", &kUnits},
    {"AutoScalingDisabled", &kFlag},   Member::unread("AutoScalingRoleArn", &kRoleArn),
    {"ScalingPolicyUpdate", &kPolicy},
};
// AutoScalingSettingsUpdate, a parameter of operations of both versions of global tables.
inline constexpr Shape kSettings{
    .kind = ShapeKind::kStructure, .name = "AutoScalingSettingsUpdate", .members = kSettingsMembers};

}  // namespace auto_scaling

}  // namespace partita::ops
