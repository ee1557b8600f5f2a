// SearchVectors.

#include "wire/shapes_common.h"

namespace partita::wire::shapes {
namespace {

constexpr Shape kSearchVector{.kind = ShapeKind::kList, .element = &kValue, .min = 1, .max = 4096, .late = true};
constexpr Shape kSearchedIndex{.kind = ShapeKind::kString, .min = 3, .max = 255, .name_pattern = true, .late = true};

// Which members must be there is told in words of its own; see ops/items/search_vectors.cc.
constexpr Member kSearchVectorsMembers[] = {
    {"TableName", &kTableName},
    {"IndexName", &kSearchedIndex},
    {"ReturnConsumedCapacity", &kReturnCapacity},
    {"ExpressionAttributeNames", &kTextMap},
    {"ExpressionAttributeValues", &kValueMap},
    {"ProjectionExpression", &kText},
    {"SearchVector", &kSearchVector},
    {"SearchConditionExpression", &kText},
    {"TopK", &kPositiveInteger},
};

}  // namespace

constinit const Shape kSearchVectors{.kind = ShapeKind::kStructure,
                                     .name = "SearchVectorsInput",
                                     .members = kSearchVectorsMembers,
                                     .checks = Checks::kNewer};

}  // namespace partita::wire::shapes
