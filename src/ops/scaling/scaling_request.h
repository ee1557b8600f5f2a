// Decoders of what several requests of Application Auto Scaling have.
#pragma once

#include <map>
#include <string>

#include "api/scaling.h"
#include "base/result.h"
#include "wire/members.h"

namespace partita::ops {

// ServiceNamespace, ResourceId and ScalableDimension. Faults: kScalingOtherService, kScalingUnsupported.
Result<api::ScaledUnits> decode_scaled_units(const wire::Members& in);

// Of the Describe... calls: `resource` has one ResourceId or several, `names` is that of a list, or kNoField. Another
// namespace selects nothing. Faults: kScalingDimensionAlone, kScalingUnsupported.
Result<api::ScalingFilter> decode_scaling_filter(const wire::Members& in, wire::Field resource, wire::Field names);

// MinCapacity and MaxCapacity.
api::CapacityBounds decode_capacity_bounds(const wire::Members& in);

// Tags: a map.
std::map<std::string, std::string> decode_target_tags(const wire::Members& in);

}  // namespace partita::ops
