// The form of requests, as data: one Shape for each request of DynamoDB's service model. Numbers, names and patterns
// are those of the service model 2012-08-10; the order of members and of enum values is that of AWS's messages.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "base/result.h"
#include "wire/field.h"
#include "wire/json_reader.h"

namespace partita::wire {

enum class ShapeKind : uint8_t {
  kStructure,
  kList,
  kMap,
  kString,
  kInteger,
  kLong,
  kDouble,
  kBoolean,
  kBlob,
  kAttributeValue,
};

// Table names have rules of their own. An ARN may replace a name. A bad name at the top level of a request is reported
// first and alone; in an operation on items only if no required member is missing.
enum class TableNameRule : uint8_t {
  kNone,
  kCreate,   // 3 to 255 characters of the pattern
  kControl,  // as kCreate, for an existing table: the length is checked before the pattern
  kItems,    // 1 to 255 characters of the pattern
};

// What AWS reports if a required member is missing.
enum class Absence : uint8_t {
  kAllowed,
  kNull,       // "Value null at 'key' failed to satisfy constraint: Member must not be null"
  kParameter,  // "The parameter 'TableName' is required but was not present in the request"
  kBatch,      // as kNull, but an empty one is "The requestItems parameter is required for BatchGetItem"
};

// AWS is moving its operations one by one to newer checks of requests, which word some errors differently and stop
// earlier. Which operation uses which is what us-east-1 answered in October 2026. Requests that lack a required member
// or nest very deep always get the older checks; see checks.h.
enum class Checks : uint8_t {
  kOlder,
  kNewer,
  kEnveloped,  // newer, and every error of a request follows "1 validation error detected: "
};

struct Shape;

struct Member {
  consteval Member(std::string_view member_name, const Shape* member_shape, Absence when_absent = Absence::kAllowed)
      : Member(member_name, member_shape, when_absent, field_named(member_name)) {}
  // Checked, but not read by a decoder, so that fields.inc need not have its name.
  static consteval Member unread(std::string_view name, const Shape* shape, Absence when_absent = Absence::kAllowed) {
    return {name, shape, when_absent, kNoField};
  }

  std::string_view name;
  const Shape* shape;
  Absence absence;
  Field field;

 private:
  consteval Member(std::string_view member_name, const Shape* member_shape, Absence when_absent, Field member_field)
      : name(member_name), shape(member_shape), absence(when_absent), field(member_field) {}
};

// For each field, its index among the members of a structure.
using Slots = std::array<uint8_t, kFieldCount>;
inline constexpr uint8_t kNoSlot = 0xff;

constexpr Slots slots_of(std::span<const Member> members) {
  Slots slots{};
  slots.fill(kNoSlot);
  for (size_t i = 0; i < members.size(); ++i) {
    const Field field = members[i].field;
    if (field != kNoField) slots[static_cast<size_t>(field)] = static_cast<uint8_t>(i);
  }
  return slots;
}

// A bit for each member that must be present, by its index.
constexpr uint32_t required_of(std::span<const Member> members) {
  uint32_t required = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    if (members[i].absence != Absence::kAllowed) required |= uint32_t{1} << i;
  }
  return required;
}

struct Shape {
  static constexpr int64_t kNoMin = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kNoMax = std::numeric_limits<int64_t>::max();

  ShapeKind kind;
  // Every member has an initialiser, so that a shape names only what it has. NOLINTBEGIN(*-redundant-member-init)
  std::string_view name = {};            // of a structure: the name of AWS's Java class
  std::span<const Member> members = {};  // of a structure
  const Shape* element = nullptr;        // of a list or a map
  const Shape* key = nullptr;            // of a map, if its keys have constraints
  int64_t min = kNoMin;                  // of a string's, list's or map's length, or of a number
  int64_t max = kNoMax;
  bool whole = false;         // a number written with a point or an exponent is refused; DynamoDB cuts fractions off
  bool name_pattern = false;  // [a-zA-Z0-9_.-]+
  bool length_first = false;  // AWS checks the length of such a name before its pattern
  TableNameRule table_name = TableNameRule::kNone;
  // The bounds are checked after everything else, and reported without the value and with the member's name as it is
  // written. Not for a map's key.
  bool late = false;
  bool shown_as_json = false;                     // AWS prints the value as JSON, as in the request
  std::span<const std::string_view> values = {};  // of an enum
  std::string_view newer_values = {};             // the list of values in the newer checks, which do not show the value
  bool newer_alone = false;                       // the newer checks report such an enum first and alone
  Checks checks = Checks::kOlder;                 // of a request
  Slots slots = slots_of(members);                // of a structure; never set by hand, as the next one
  uint32_t required = required_of(members);
  // NOLINTEND(*-redundant-member-init)
};

namespace shapes {
extern const Shape kBatchExecuteStatement;
extern const Shape kBatchGetItem;
extern const Shape kBatchWriteItem;
extern const Shape kCreateCluster;
extern const Shape kCreateParameterGroup;
extern const Shape kCreateSubnetGroup;
extern const Shape kCreateTable;
extern const Shape kDecreaseReplicationFactor;
extern const Shape kDeleteCluster;
extern const Shape kDeleteItem;
extern const Shape kDeleteParameterGroup;
extern const Shape kDeleteResourcePolicy;
extern const Shape kDeleteScalingPolicy;
extern const Shape kDeleteScheduledAction;
extern const Shape kDeleteSubnetGroup;
extern const Shape kDeleteTable;
extern const Shape kDeregisterScalableTarget;
extern const Shape kDescribeClusters;
extern const Shape kDescribeContinuousBackups;
extern const Shape kDescribeContributorInsights;
extern const Shape kDescribeDefaultParameters;
extern const Shape kDescribeEndpoints;
extern const Shape kDescribeEvents;
extern const Shape kDescribeKinesisStreamingDestination;
extern const Shape kDescribeLimits;
extern const Shape kDescribeParameterGroups;
extern const Shape kDescribeParameters;
extern const Shape kDescribeScalableTargets;
extern const Shape kDescribeScalingActivities;
extern const Shape kDescribeScalingPolicies;
extern const Shape kDescribeScheduledActions;
extern const Shape kDescribeStream;
extern const Shape kDescribeSubnetGroups;
extern const Shape kDescribeTable;
extern const Shape kDescribeTimeToLive;
extern const Shape kDisableKinesisStreamingDestination;
extern const Shape kEnableKinesisStreamingDestination;
extern const Shape kExecuteStatement;
extern const Shape kExecuteTransaction;
extern const Shape kGetItem;
extern const Shape kGetRecords;
extern const Shape kGetResourcePolicy;
extern const Shape kGetShardIterator;
extern const Shape kIncreaseReplicationFactor;
extern const Shape kListClusterTags;
extern const Shape kListContributorInsights;
extern const Shape kListStreams;
extern const Shape kListTables;
extern const Shape kListTagsOfResource;
extern const Shape kListTagsOfTarget;
extern const Shape kPutItem;
extern const Shape kPutResourcePolicy;
extern const Shape kPutScalingPolicy;
extern const Shape kPutScheduledAction;
extern const Shape kQuery;
extern const Shape kRebootNode;
extern const Shape kRegisterScalableTarget;
extern const Shape kScan;
extern const Shape kSearchVectors;
extern const Shape kTagCluster;
extern const Shape kTagResource;
extern const Shape kTagTarget;
extern const Shape kTransactGetItems;
extern const Shape kTransactWriteItems;
extern const Shape kUntagCluster;
extern const Shape kUntagResource;
extern const Shape kUntagTarget;
extern const Shape kUpdateCluster;
extern const Shape kUpdateContributorInsights;
extern const Shape kUpdateItem;
extern const Shape kUpdateParameterGroup;
extern const Shape kUpdateKinesisStreamingDestination;
extern const Shape kUpdateSubnetGroup;
extern const Shape kUpdateTable;
extern const Shape kUpdateTimeToLive;
}  // namespace shapes

}  // namespace partita::wire
