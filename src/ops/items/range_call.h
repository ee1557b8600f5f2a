// What Query and Scan share. Pure functions, except encode().
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "ops/execution.h"
#include "ops/request.h"
#include "table/items/query.h"
#include "wire/members.h"

namespace partita::ops {

// For errors whose text differs between the two.
enum class RangeKind : uint8_t { kQuery, kScan };

// Decoders of the shared parameters. They are separate since DynamoDB checks them in a different order in each
// operation.
//
// `field`: QueryFilter or ScanFilter; with ConditionalOperator.
Result<void> decode_legacy_filter(const wire::Members& in, wire::Field field, api::RangeRequest& request);
// FilterExpression.
Result<void> decode_filter(const wire::Members& in, expr::Placeholders& given, api::RangeRequest& request);
// ExclusiveStartKey.
Result<void> decode_start(const wire::Members& in, api::RangeRequest& request);
// ProjectionExpression and Select, and the parameters that are valid if they fit their shape. Call it after
// attributes_to_get(). Faults: the kSelect... ones, those of projection().
Result<void> decode_range(const wire::Members& in, RangeKind kind, expr::Placeholders& given,
                          api::RangeRequest& request);

// The encoding half of both.
struct RangeCall {
  using Request = api::RangeRequest;
  using Execution = RangeExecution;
  static Task<Result<std::string>> encode(const Request& request, const api::RangeReply& page);
};

}  // namespace partita::ops
