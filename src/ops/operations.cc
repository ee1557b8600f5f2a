#include <algorithm>
#include <array>

#include "ops/handlers.h"
#include "ops/operation.h"
#include "ops/request.h"

namespace partita::ops {

namespace {

namespace shapes = wire::shapes;

// clang-format off
const std::array kOperations = {
    Operation{"BatchExecuteStatement", Kind::kWrite, kActionsOfStatements, shapes::kBatchExecuteStatement, batch_execute_statement},
    Operation{"BatchGetItem", Kind::kRead, "dynamodb:BatchGetItem", shapes::kBatchGetItem, batch_get_item},
    Operation{"BatchWriteItem", Kind::kWrite, "dynamodb:BatchWriteItem", shapes::kBatchWriteItem, batch_write_item},
    Operation{"CreateTable", Kind::kControl, "dynamodb:CreateTable", shapes::kCreateTable, create_table},
    Operation{"DeleteItem", Kind::kWrite, "dynamodb:DeleteItem", shapes::kDeleteItem, delete_item},
    Operation{"DeleteResourcePolicy", Kind::kControl, "dynamodb:DeleteResourcePolicy", shapes::kDeleteResourcePolicy, delete_resource_policy},
    Operation{"DeleteTable", Kind::kControl, "dynamodb:DeleteTable", shapes::kDeleteTable, delete_table},
    Operation{"DescribeContinuousBackups", Kind::kControl, "dynamodb:DescribeContinuousBackups", shapes::kDescribeContinuousBackups, describe_continuous_backups},
    Operation{"DescribeContributorInsights", Kind::kControl, "dynamodb:DescribeContributorInsights", shapes::kDescribeContributorInsights, describe_contributor_insights},
    Operation{"DescribeEndpoints", Kind::kControl, "dynamodb:DescribeEndpoints", shapes::kDescribeEndpoints, describe_endpoints},
    Operation{"DescribeLimits", Kind::kControl, "dynamodb:DescribeLimits", shapes::kDescribeLimits, describe_limits},
    Operation{"DescribeStream", Kind::kControl, "dynamodb:DescribeStream", shapes::kDescribeStream, describe_stream, Api::kStreams},
    Operation{"DescribeTable", Kind::kControl, "dynamodb:DescribeTable", shapes::kDescribeTable, describe_table},
    Operation{"DescribeTimeToLive", Kind::kControl, "dynamodb:DescribeTimeToLive", shapes::kDescribeTimeToLive, describe_time_to_live},
    Operation{"ExecuteStatement", Kind::kWrite, kActionsOfStatements, shapes::kExecuteStatement, execute_statement},
    Operation{"ExecuteTransaction", Kind::kWrite, kActionsOfStatements, shapes::kExecuteTransaction, execute_transaction},
    Operation{"GetItem", Kind::kRead, "dynamodb:GetItem", shapes::kGetItem, get_item},
    Operation{"GetRecords", Kind::kRead, "dynamodb:GetRecords", shapes::kGetRecords, get_records, Api::kStreams},
    Operation{"GetResourcePolicy", Kind::kControl, "dynamodb:GetResourcePolicy", shapes::kGetResourcePolicy, get_resource_policy},
    Operation{"GetShardIterator", Kind::kControl, "dynamodb:GetShardIterator", shapes::kGetShardIterator, get_shard_iterator, Api::kStreams},
    Operation{"ListContributorInsights", Kind::kControl, "dynamodb:ListContributorInsights", shapes::kListContributorInsights, list_contributor_insights},
    Operation{"ListStreams", Kind::kControl, "dynamodb:ListStreams", shapes::kListStreams, list_streams, Api::kStreams},
    Operation{"ListTables", Kind::kControl, "dynamodb:ListTables", shapes::kListTables, list_tables},
    Operation{"ListTagsOfResource", Kind::kControl, "dynamodb:ListTagsOfResource", shapes::kListTagsOfResource, list_tags_of_resource},
    Operation{"PutItem", Kind::kWrite, "dynamodb:PutItem", shapes::kPutItem, put_item},
    Operation{"PutResourcePolicy", Kind::kControl, "dynamodb:PutResourcePolicy", shapes::kPutResourcePolicy, put_resource_policy},
    Operation{"Query", Kind::kRead, "dynamodb:Query", shapes::kQuery, query},
    Operation{"Scan", Kind::kRead, "dynamodb:Scan", shapes::kScan, scan},
    Operation{"SearchVectors", Kind::kRead, "dynamodb:SearchVectors", shapes::kSearchVectors, search_vectors},
    Operation{"TagResource", Kind::kControl, "dynamodb:TagResource", shapes::kTagResource, tag_resource},
    Operation{"TransactGetItems", Kind::kRead, "", shapes::kTransactGetItems, transact_get_items},
    Operation{"TransactWriteItems", Kind::kWrite, "", shapes::kTransactWriteItems, transact_write_items},
    Operation{"UntagResource", Kind::kControl, "dynamodb:UntagResource", shapes::kUntagResource, untag_resource},
    Operation{"UpdateContributorInsights", Kind::kControl, "dynamodb:UpdateContributorInsights", shapes::kUpdateContributorInsights, update_contributor_insights},
    Operation{"UpdateItem", Kind::kWrite, "dynamodb:UpdateItem", shapes::kUpdateItem, update_item},
    Operation{"UpdateTable", Kind::kControl, "dynamodb:UpdateTable", shapes::kUpdateTable, update_table},
    Operation{"UpdateTimeToLive", Kind::kControl, "dynamodb:UpdateTimeToLive", shapes::kUpdateTimeToLive, update_time_to_live},
};
// clang-format on

// By Api.
constexpr std::array<std::string_view, 2> kTargets = {"DynamoDB_20120810.", "DynamoDBStreams_20120810."};

std::string_view prefix_of(Api api) { return kTargets[static_cast<size_t>(api)]; }

}  // namespace

std::span<const Operation> operations() { return kOperations; }

std::string target_of(const Operation& operation) {
  return std::string(prefix_of(operation.api)).append(operation.name);
}

const Operation* find_target(std::string_view target) {
  const Operation* operation = find_operation(target.substr(target.find('.') + 1));
  return operation != nullptr && target.starts_with(prefix_of(operation->api)) ? operation : nullptr;
}

const Operation* find_operation(std::string_view name) {
  const auto found = std::ranges::lower_bound(kOperations, name, {}, &Operation::name);
  return found == kOperations.end() || found->name != name ? nullptr : &*found;
}

}  // namespace partita::ops
