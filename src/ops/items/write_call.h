// What PutItem, UpdateItem and DeleteItem share. Pure functions.
#pragma once

#include <string>

#include "base/result.h"
#include "ops/execution.h"
#include "ops/request.h"
#include "table/items/write.h"
#include "wire/members.h"

namespace partita::ops {

// Decoders of the shared parameters, in the order in which DynamoDB checks them: the item or key in `field`, Expected
// with ConditionalOperator, ConditionExpression.
Result<void> decode_target(const wire::Members& in, wire::Field field, api::WriteAction& action);
Result<void> decode_expected(const wire::Members& in, api::WriteAction& action);
Result<void> decode_condition(const wire::Members& in, expr::Placeholders& given, api::WriteAction& action);
// The table's name and what the reply has; valid if they fit their shape.
void decode_rest(const wire::Members& in, api::WriteRequest& request);

// PutItem and DeleteItem as a whole.
Result<api::WriteRequest> decode_replacement(const wire::Members& in, api::WriteAction::Kind kind, wire::Field field);

// The encoding half of all three.
struct WriteCall {
  using Request = api::WriteRequest;
  using Execution = WriteItemExecution;
  static Result<std::string> encode(const Request& request, const api::WriteReply& reply);
};

}  // namespace partita::ops
