// ListStreams, DescribeStream, GetShardIterator, GetRecords.

#include "wire/shapes_common.h"

namespace partita::wire::shapes {
namespace {

constexpr std::string_view kIteratorWords[] = {"AFTER_SEQUENCE_NUMBER", "LATEST", "AT_TIMESTAMP", "AT_SEQUENCE_NUMBER",
                                               "TRIM_HORIZON"};
constexpr std::string_view kFilterWords[] = {"CHILD_SHARDS"};

constexpr Shape kStreamArn{.kind = ShapeKind::kString, .min = 37, .max = 1024};
constexpr Shape kShardId{.kind = ShapeKind::kString, .min = 28, .max = 65};
constexpr Shape kSequenceNumber{.kind = ShapeKind::kString, .min = 21, .max = 40};
constexpr Shape kIterator{.kind = ShapeKind::kString, .min = 1, .max = 2048};
constexpr Shape kFilteredTableName{.kind = ShapeKind::kString, .min = 3, .max = 255, .name_pattern = true};
constexpr Shape kMoment{.kind = ShapeKind::kDouble};

constexpr Member kListStreamsMembers[] = {
    {"TableName", &kFilteredTableName},
    {"Limit", &kPositiveInteger},
    {"ExclusiveStartStreamArn", &kStreamArn},
};
constexpr Member kShardFilterMembers[] = {
    {"Type", &kEnum<kFilterWords>},
    {"ShardId", &kShardId},
};
constexpr Shape kShardFilter{.kind = ShapeKind::kStructure, .name = "ShardFilter", .members = kShardFilterMembers};
constexpr Member kDescribeStreamMembers[] = {
    {"StreamArn", &kStreamArn, Absence::kNull},
    {"Limit", &kPositiveInteger},
    {"ExclusiveStartShardId", &kShardId},
    {"ShardFilter", &kShardFilter},
};
constexpr Member kGetShardIteratorMembers[] = {
    {"StreamArn", &kStreamArn, Absence::kNull},
    {"ShardId", &kShardId, Absence::kNull},
    {"ShardIteratorType", &kEnum<kIteratorWords>, Absence::kNull},
    {"SequenceNumber", &kSequenceNumber},
    {"Timestamp", &kMoment},
};
constexpr Member kGetRecordsMembers[] = {
    {"ShardIterator", &kIterator, Absence::kNull},
    {"Limit", &kPositiveInteger},
};

}  // namespace

constinit const Shape kListStreams{
    .kind = ShapeKind::kStructure, .name = "ListStreamsInput", .members = kListStreamsMembers};
constinit const Shape kDescribeStream{
    .kind = ShapeKind::kStructure, .name = "DescribeStreamInput", .members = kDescribeStreamMembers};
constinit const Shape kGetShardIterator{
    .kind = ShapeKind::kStructure, .name = "GetShardIteratorInput", .members = kGetShardIteratorMembers};
constinit const Shape kGetRecords{
    .kind = ShapeKind::kStructure, .name = "GetRecordsInput", .members = kGetRecordsMembers};

}  // namespace partita::wire::shapes
