// What PutItem, UpdateItem and DeleteItem share.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "ops/operation.h"
#include "ops/request.h"
#include "table/write.h"

namespace partita::ops {

// The parameters that the three share, in the order in which DynamoDB finds their faults: the item or key under
// `member`, Expected and ConditionalOperator, ConditionExpression.
Result<void> decode_target(wire::JsonValue body, std::string_view member, table::WriteAction& action);
Result<void> decode_expected(wire::JsonValue body, table::WriteAction& action);
Result<void> decode_condition(wire::JsonValue body, expr::Placeholders& given, table::WriteAction& action);

// PutItem and DeleteItem as a whole.
Task<Result<std::string>> replace_item(const Context& context, wire::JsonValue body, table::WriteAction::Kind kind,
                                       std::string_view member);

// `returned` is what ReturnValues asked for, or null. All of it outlives the task.
Task<Result<std::string>> write_reply(const Context& context, wire::JsonValue body, table::Table table,
                                      const model::Item& item, const table::Written& written,
                                      const model::Item* returned);

}  // namespace partita::ops
