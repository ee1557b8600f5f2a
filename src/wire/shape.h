// What a request must look like, as data: one Shape for each request of DynamoDB's service model, and one check for all
// of them. Numbers, names and patterns are those of the service model 2012-08-10; the order of members and of enum
// values is the one in which AWS prints them.
//
//   PARTITA_TRY_VOID(check_shape(document.root(), shapes::kPutItem));
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

// Names have rules of their own: an ARN may stand in their place, and a bad one at the top of a request is reported
// before and without anything else; in an operation on items only if no required member is missing.
enum class TableNameRule : uint8_t {
  kNone,
  kCreate,   // 3 to 255 characters of the pattern
  kControl,  // the same, of a table that there is: its length is told before the pattern
  kItems,    // 1 to 255 characters of the pattern
};

// What AWS says when a required member is missing.
enum class Absence : uint8_t {
  kAllowed,
  kNull,       // "Value null at 'key' failed to satisfy constraint: Member must not be null"
  kParameter,  // "The parameter 'TableName' is required but was not present in the request"
  kBatch,      // as kNull, but an empty one is "The requestItems parameter is required for BatchGetItem"
};

// AWS moves its operations one by one to newer checks of requests, which word some faults in other ways, and stop
// sooner. Which operation stands where is what us-east-1 answered in October 2026. Requests that lack a required member
// or nest very deep are always checked in the older way; see checks.h.
enum class Checks : uint8_t {
  kOlder,
  kNewer,
  kEnveloped,  // newer, and all that is wrong with a request stands behind "1 validation error detected: "
};

struct Shape;

struct Member {
  consteval Member(std::string_view member_name, const Shape* member_shape, Absence when_absent = Absence::kAllowed)
      : name(member_name), shape(member_shape), absence(when_absent), field(field_named(member_name)) {}

  std::string_view name;
  const Shape* shape;
  Absence absence;
  Field field;
};

// For each field its place among a structure's members.
using Slots = std::array<uint8_t, kFieldCount>;
inline constexpr uint8_t kNoSlot = 0xff;

constexpr Slots slots_of(std::span<const Member> members) {
  Slots slots{};
  slots.fill(kNoSlot);
  for (size_t i = 0; i < members.size(); ++i) slots[static_cast<size_t>(members[i].field)] = static_cast<uint8_t>(i);
  return slots;
}

struct Shape {
  static constexpr int64_t kNoMin = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kNoMax = std::numeric_limits<int64_t>::max();

  ShapeKind kind;
  // Every member has its initialiser, so that a shape need name only what it has. NOLINTBEGIN(*-redundant-member-init)
  std::string_view name = {};            // of a structure, as AWS's Java calls it
  std::span<const Member> members = {};  // of a structure
  const Shape* element = nullptr;        // of a list or a map
  const Shape* key = nullptr;            // of a map, when its keys have constraints
  int64_t min = kNoMin;                  // of a string's, list's or map's length, or of a number
  int64_t max = kNoMax;
  bool name_pattern = false;  // [a-zA-Z0-9_.-]+
  bool length_first = false;  // AWS tells the bounds of such a name before its pattern
  TableNameRule table_name = TableNameRule::kNone;
  // Its bounds are checked behind everything else. Not of a map's key: reported without the value and with the
  // member's name as it is written.
  bool late = false;
  bool shown_as_json = false;                     // AWS prints the value as the request has it
  std::span<const std::string_view> values = {};  // of an enum
  std::string_view newer_values = {};             // how the newer checks write them, who then do not show the value
  bool newer_alone = false;                       // the newer checks report such an enum before all else, and alone
  Checks checks = Checks::kOlder;                 // of a request
  Slots slots = slots_of(members);                // of a structure; never set by hand
  // NOLINTEND(*-redundant-member-init)
};

// First every JSON kind in the body, in the order of the text; then all constraints. Members that the shape does not
// know are passed over. Afterwards the handler may read members as the kinds that the shape declares (numbers may be of
// either JSON kind, a boolean may be a word: truth()), and decode attribute values without a kSerialization fault.
// Faults: kSerialization; kMissingParameter, kParameterRequiredFor, kConstraints.
Result<void> check_shape(const JsonValue& body, const Shape& shape);

// Where the first value of the wrong kind stands in the body: "Item.Year", "KeySchema[0]"; empty: nowhere in it.
std::string misfit(const JsonValue& body, const Shape& shape);

// The value of a boolean member; `otherwise` when it is absent.
bool truth(const JsonValue& value, bool otherwise = false);

// "1 validation error detected: <violation>" as a kConstraints fault, for constraints that a shape cannot state.
Error constraint_violated(std::string_view violation);

namespace shapes {
extern const Shape kBatchExecuteStatement;
extern const Shape kBatchGetItem;
extern const Shape kBatchWriteItem;
extern const Shape kCreateTable;
extern const Shape kDeleteItem;
extern const Shape kDeleteResourcePolicy;
extern const Shape kDeleteTable;
extern const Shape kDescribeContinuousBackups;
extern const Shape kDescribeContributorInsights;
extern const Shape kDescribeEndpoints;
extern const Shape kDescribeLimits;
extern const Shape kDescribeStream;
extern const Shape kDescribeTable;
extern const Shape kDescribeTimeToLive;
extern const Shape kExecuteStatement;
extern const Shape kExecuteTransaction;
extern const Shape kGetItem;
extern const Shape kGetRecords;
extern const Shape kGetResourcePolicy;
extern const Shape kGetShardIterator;
extern const Shape kListContributorInsights;
extern const Shape kListStreams;
extern const Shape kListTables;
extern const Shape kListTagsOfResource;
extern const Shape kPutItem;
extern const Shape kPutResourcePolicy;
extern const Shape kQuery;
extern const Shape kScan;
extern const Shape kSearchVectors;
extern const Shape kTagResource;
extern const Shape kTransactGetItems;
extern const Shape kTransactWriteItems;
extern const Shape kUntagResource;
extern const Shape kUpdateContributorInsights;
extern const Shape kUpdateItem;
extern const Shape kUpdateTable;
extern const Shape kUpdateTimeToLive;
}  // namespace shapes

}  // namespace partita::wire
