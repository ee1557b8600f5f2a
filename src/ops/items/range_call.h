// What Query and Scan share.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "ops/execution.h"
#include "ops/request.h"
#include "table/items/query.h"
#include "wire/members.h"

namespace partita::ops {

// Which of the two it is, where their words differ.
enum class RangeKind : uint8_t { kQuery, kScan };

// The parameters that the two share, each function for itself, since DynamoDB finds their faults in orders of their
// own. QueryFilter or ScanFilter, whichever `field` is, with ConditionalOperator:
Result<void> decode_legacy_filter(const wire::Members& in, wire::Field field, api::RangeRequest& request);
// FilterExpression.
Result<void> decode_filter(const wire::Members& in, expr::Placeholders& given, api::RangeRequest& request);
// ExclusiveStartKey.
Result<void> decode_start(const wire::Members& in, api::RangeRequest& request);
// ProjectionExpression and Select, once attributes_to_get() was tried for the projection; then all in which nothing can
// be wrong any more. Faults: kSelect..., those of projections.
Result<void> decode_range(const wire::Members& in, RangeKind kind, expr::Placeholders& given,
                          api::RangeRequest& request);

// The encoding half of both.
struct RangeCall {
  using Request = api::RangeRequest;
  using Execution = RangeExecution;
  static Task<Result<std::string>> encode(const Request& request, const api::RangeReply& page);
};

}  // namespace partita::ops
