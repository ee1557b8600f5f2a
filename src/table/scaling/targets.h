// The calls of Application Auto Scaling: scalable targets, their policies, scheduled actions and tags, and activities.
// What they store takes effect by itself (scaler.h), within seconds.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/scaling.h"
#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"
#include "table/rows/scaling_rows.h"

namespace partita::table {

// At most ScalingFilter::limit elements, in AWS's order as far as it is known.
template <class Element>
struct ScalingPage {
  std::vector<Element> found;
  std::string last;  // where the next page starts; empty: there is none
};

struct PolicyOfTarget {
  api::ScaledUnits units;
  ScalingPolicy policy;
};

struct ActionOfTarget {
  api::ScaledUnits units;
  ScheduledAction action;
};

// Faults of all calls that change something: kScalingNoTarget, except register_target().

// Faults: kScalingNoResource, kScalingBoundsMissing, kScalingBoundsCrossed, kScalingMinimum, kScalingTooManyTags.
Task<Result<ScalableTarget>> register_target(TableContext& context, const api::RegisterTargetRequest& request);
// The policy and the scheduled actions go with it; the activities stay.
Task<Result<void>> deregister_target(TableContext& context, const api::ScaledUnits& units);
// Fault of all lists: kScalingNextToken.
Task<Result<ScalingPage<ScalableTarget>>> list_targets(TableContext& context, const api::ScalingFilter& filter);

// Faults: kScalingSecondPolicy, kScalingNoTracking.
Task<Result<ScalingPolicy>> put_scaling_policy(TableContext& context, const api::PutPolicyOfTargetRequest& request);
// Fault: kScalingNoPolicy.
Task<Result<void>> delete_scaling_policy(TableContext& context, const api::NamedOfTargetRequest& request);
Task<Result<ScalingPage<PolicyOfTarget>>> list_policies(TableContext& context, const api::ScalingFilter& filter);

// Faults: kScalingSchedule, kScalingNoSchedule, kScalingBoundsCrossed, kScalingMinimum, kScalingTimes,
// kScalingTooManyActions.
Task<Result<void>> put_scheduled_action(TableContext& context, const api::PutScheduledActionRequest& request);
// Fault: kScalingNoAction.
Task<Result<void>> delete_scheduled_action(TableContext& context, const api::NamedOfTargetRequest& request);
Task<Result<ScalingPage<ActionOfTarget>>> list_scheduled_actions(TableContext& context,
                                                                 const api::ScalingFilter& filter);

// The newest first.
Task<Result<ScalingPage<ScalingActivity>>> list_activities(TableContext& context, const api::ScalingFilter& filter);

// Fault of the three: kScalingTagsNotFound.
Task<Result<std::map<std::string, std::string>>> tags_of_target(TableContext& context, const std::string& arn);
// Fault: kScalingTooManyTags.
Task<Result<void>> tag_target(TableContext& context, const api::TargetTagsRequest& request);
Task<Result<void>> untag_target(TableContext& context, const api::TargetTagsRequest& request);

}  // namespace partita::table
