// What PutItem, UpdateItem and DeleteItem share.
#pragma once

#include <string>

#include "base/result.h"
#include "ops/execution.h"
#include "ops/request.h"
#include "table/items/write.h"
#include "wire/members.h"

namespace partita::ops {

// The parameters that the three share, in the order in which DynamoDB finds their faults: the item or key under
// `field`, Expected and ConditionalOperator, ConditionExpression.
Result<void> decode_target(const wire::Members& in, wire::Field field, api::WriteAction& action);
Result<void> decode_expected(const wire::Members& in, api::WriteAction& action);
Result<void> decode_condition(const wire::Members& in, expr::Placeholders& given, api::WriteAction& action);
// The table's name and what to answer with, in which nothing can be wrong any more.
void decode_rest(const wire::Members& in, api::WriteRequest& request);

// PutItem and DeleteItem as a whole.
Result<api::WriteRequest> decode_replacement(const wire::Members& in, api::WriteAction::Kind kind, wire::Field field);

// What ReturnValues asks for, or null; it is in `written`, or in `touched` when it is no whole item.
const model::Item* returned_item(api::ReturnValues wanted, const expr::Update& update, const api::Written& written,
                                 model::Item& touched);

// The encoding half of all three.
struct WriteCall {
  using Request = api::WriteRequest;
  using Execution = WriteItemExecution;
  static Result<std::string> encode(const Request& request, const api::WriteReply& reply);
};

}  // namespace partita::ops
