// The shapes that several requests share.
#pragma once

#include <string_view>

#include "wire/parameter_words.h"
#include "wire/shape.h"

namespace partita::wire::shapes {

inline constexpr Shape kText{.kind = ShapeKind::kString};
inline constexpr Shape kFlag{.kind = ShapeKind::kBoolean};
inline constexpr Shape kValue{.kind = ShapeKind::kAttributeValue};
inline constexpr Shape kValueList{.kind = ShapeKind::kList, .element = &kValue};
inline constexpr Shape kValueMap{.kind = ShapeKind::kMap, .element = &kValue};  // an item, a key, :values
inline constexpr Shape kTextMap{.kind = ShapeKind::kMap, .element = &kText};    // #names

inline constexpr Shape kTableName{.kind = ShapeKind::kString, .table_name = TableNameRule::kItems};
inline constexpr Shape kControlTableName{.kind = ShapeKind::kString, .table_name = TableNameRule::kControl};
inline constexpr Member kNamedTableMembers[] = {{"TableName", &kControlTableName, Absence::kParameter}};
inline constexpr Shape kIndexName{.kind = ShapeKind::kString, .min = 3, .max = 255, .name_pattern = true};
inline constexpr Shape kControlIndexName{
    .kind = ShapeKind::kString, .min = 3, .max = 255, .name_pattern = true, .length_first = true};
inline constexpr Shape kAttributeNames{.kind = ShapeKind::kList, .element = &kText, .min = 1, .max = 255};
inline constexpr Shape kPositiveInteger{.kind = ShapeKind::kInteger, .min = 1};

// Their constraints are checked elsewhere, with their own messages.
inline constexpr Member kTagMembers[] = {
    {"Key", &kText},
    {"Value", &kText},
};
inline constexpr Shape kTag{.kind = ShapeKind::kStructure, .name = "Tag", .members = kTagMembers};
inline constexpr Shape kTags{.kind = ShapeKind::kList, .element = &kTag};

template <const auto& words>
inline constexpr Shape kEnum{.kind = ShapeKind::kString, .values = words};

inline constexpr std::string_view kMetricsWords[] = {"SIZE", "NONE"};
inline constexpr std::string_view kJoinWords[] = {"OR", "AND"};
inline constexpr std::string_view kComparisonWords[] = {
    "IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT", "NOT_NULL", "NE", "LE", "BEGINS_WITH", "GE", "CONTAINS"};

inline constexpr const Shape& kReturnCapacity = kEnum<kCapacityWords>;
inline constexpr const Shape& kReturnMetrics = kEnum<kMetricsWords>;
// UPDATE_NEW is AWS's own spelling.
inline constexpr std::string_view kNewerReturnValues = "ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE";
inline constexpr Shape kReturnValues{
    .kind = ShapeKind::kString, .values = kReturnValueWords, .newer_values = kNewerReturnValues};
inline constexpr Shape kUpdateReturnValues{
    .kind = ShapeKind::kString, .values = kReturnValueWords, .newer_values = kNewerReturnValues, .newer_alone = true};
inline constexpr const Shape& kReturnOnFailure = kEnum<kReturnOnFailureWords>;
inline constexpr Shape kConditionalOperator{
    .kind = ShapeKind::kString, .values = kJoinWords, .newer_values = "ALL, OR", .newer_alone = true};
inline constexpr const Shape& kComparison = kEnum<kComparisonWords>;

inline constexpr Member kExpectedMembers[] = {
    {"AttributeValueList", &kValueList},
    {"ComparisonOperator", &kComparison},
    {"Exists", &kFlag},
    {"Value", &kValue},
};
inline constexpr Shape kExpectedValue{
    .kind = ShapeKind::kStructure, .name = "ExpectedAttributeValue", .members = kExpectedMembers};
inline constexpr Shape kExpected{.kind = ShapeKind::kMap, .element = &kExpectedValue};

inline constexpr Member kConditionMembers[] = {
    {"AttributeValueList", &kValueList},
    {"ComparisonOperator", &kComparison, Absence::kNull},
};
inline constexpr Shape kCondition{.kind = ShapeKind::kStructure, .name = "Condition", .members = kConditionMembers};
inline constexpr Shape kConditions{.kind = ShapeKind::kMap, .element = &kCondition};

}  // namespace partita::wire::shapes
