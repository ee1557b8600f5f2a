// The calls of Application Auto Scaling for tables and global indexes. See reads.h for what holds for all requests.
// Times are milliseconds since 1970; capacities are units per second.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace partita::api {

// ResourceId and ScalableDimension: the read or the write units of "table/T" or of "table/T/index/I".
struct ScaledUnits {
  std::string resource = {};
  bool write = false;
  auto operator<=>(const ScaledUnits&) const = default;
};

// "dynamodb:table:ReadCapacityUnits".
inline std::string dimension_of(const ScaledUnits& units) {
  return std::string("dynamodb:") + (units.resource.find("/index/") == std::string::npos ? "table" : "index") +
         (units.write ? ":WriteCapacityUnits" : ":ReadCapacityUnits");
}

// MinCapacity and MaxCapacity, each if it was sent.
struct CapacityBounds {
  std::optional<int64_t> min = {};
  std::optional<int64_t> max = {};
};

// SuspendedState, each if it was sent.
struct SuspendRequest {
  std::optional<bool> in = {};
  std::optional<bool> out = {};
  std::optional<bool> scheduled = {};
};

struct RegisterTargetRequest {
  ScaledUnits units = {};
  CapacityBounds bounds = {};
  std::optional<SuspendRequest> suspended = {};
  std::map<std::string, std::string> tags = {};
};

// Of the Describe... calls. Empty members select everything.
struct ScalingFilter {
  std::vector<std::string> resources = {};
  std::optional<bool> write = {};
  std::optional<bool> index = {};       // beside `write`: whether the dimension is that of indexes
  std::vector<std::string> names = {};  // of policies or of scheduled actions
  bool nothing = false;                 // the namespace is that of another service
  size_t limit = 50;
  std::string after = {};  // NextToken
};

// TargetTrackingScalingPolicyConfiguration.
struct TargetTracking {
  double percent = 0;                     // TargetValue
  std::optional<int64_t> out_s = {};      // ScaleOutCooldown
  std::optional<int64_t> in_s = {};       // ScaleInCooldown
  std::optional<bool> out_only = {};      // DisableScaleIn
  std::optional<std::string> label = {};  // ResourceLabel
};

struct PutPolicyOfTargetRequest {
  ScaledUnits units = {};
  std::string name = {};
  std::optional<TargetTracking> tracking = {};  // absent: only valid for a policy that exists
};

struct PutScheduledActionRequest {
  ScaledUnits units = {};
  std::string name = {};
  std::optional<std::string> schedule = {};
  std::optional<std::string> zone = {};
  std::optional<int64_t> start_ms = {};
  std::optional<int64_t> end_ms = {};
  std::optional<CapacityBounds> bounds = {};
};

// DeleteScalingPolicy and DeleteScheduledAction.
struct NamedOfTargetRequest {
  ScaledUnits units = {};
  std::string name = {};
};

// TagResource, UntagResource and ListTagsForResource.
struct TargetTagsRequest {
  std::string arn = {};
  std::map<std::string, std::string> tags = {};
  std::vector<std::string> dropped = {};
};

}  // namespace partita::api
