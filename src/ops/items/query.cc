#include "table/items/query.h"

#include "model/fault.h"
#include "ops/items/range_call.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using wire::Field;
using wire::Members;

Result<void> check_query_forms(const Members& in) {
  const auto expressions = {Field::kProjectionExpression, Field::kFilterExpression, Field::kKeyConditionExpression};
  // KeyConditions may stand beside the other expressions.
  if (in.has(Field::kKeyConditionExpression)) {
    return check_forms(
        in, {expressions,
             {Field::kAttributesToGet, Field::kQueryFilter, Field::kConditionalOperator, Field::kKeyConditions}});
  }
  return check_forms(in, {expressions, {Field::kAttributesToGet, Field::kQueryFilter, Field::kConditionalOperator}});
}

Result<expr::Condition> decode_keys(const Members& in, expr::Placeholders& given) {
  if (in.has(Field::kKeyConditionExpression)) {
    return expr::parse_key_condition(in.text(Field::kKeyConditionExpression), given);
  }
  PARTITA_TRY(const auto entries, legacy_conditions(in, Field::kKeyConditions));
  return expr::lower_key_conditions(entries);
}

struct Query : RangeCall {
  static Result<Request> decode(const Members& in) {
    Request request;
    PARTITA_TRY_VOID(check_query_forms(in));
    PARTITA_TRY_VOID(decode_legacy_filter(in, Field::kQueryFilter, request));
    PARTITA_TRY(request.projection, attributes_to_get(in));
    PARTITA_TRY_VOID(decode_start(in, request));
    const bool expression = in.has(Field::kKeyConditionExpression);
    if (!expression && !in.has(Field::kKeyConditions)) return model::refuse(model::Fault::kQueryWithoutKeyCondition);
    PARTITA_TRY(expr::Placeholders given, placeholders(in));
    PARTITA_TRY(request.keys, decode_keys(in, given));
    PARTITA_TRY_VOID(decode_filter(in, given, request));
    PARTITA_TRY_VOID(decode_range(in, RangeKind::kQuery, given, request));
    PARTITA_TRY_VOID(given.check_all_used());
    if (expression) PARTITA_TRY_VOID(expr::check_key_condition(*request.keys));
    request.forward = in.flag(Field::kScanIndexForward, true);
    return request;
  }
};

}  // namespace

constinit const JsonCodec query = json_codec<Query>(wire::shapes::kQuery);

}  // namespace partita::ops
