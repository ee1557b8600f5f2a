#include "table/query.h"

#include "model/fault.h"
#include "ops/handlers.h"
#include "ops/range_call.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::JsonValue;

struct Decoded {
  table::RangeRead read;
  expr::Condition keys;
};

Result<void> check_query_forms(JsonValue body) {
  // KeyConditions may stand beside the other expressions.
  if (body.get("KeyConditionExpression").present()) {
    return check_forms(body, {{"ProjectionExpression", "FilterExpression", "KeyConditionExpression"},
                              {"AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"}});
  }
  return check_forms(body, {{"ProjectionExpression", "FilterExpression", "KeyConditionExpression"},
                            {"AttributesToGet", "QueryFilter", "ConditionalOperator"}});
}

Result<expr::Condition> decode_keys(JsonValue body, expr::Placeholders& given) {
  if (const JsonValue expression = body.get("KeyConditionExpression"); expression.present()) {
    return expr::parse_key_condition(expression.as_string(), given);
  }
  PARTITA_TRY(const auto entries, legacy_conditions(body.get("KeyConditions")));
  return expr::lower_key_conditions(entries);
}

Result<Decoded> decode(JsonValue body) {
  Decoded decoded;
  PARTITA_TRY_VOID(check_query_forms(body));
  PARTITA_TRY_VOID(decode_legacy_filter(body, "QueryFilter", decoded.read));
  PARTITA_TRY(decoded.read.projection, attributes_to_get(body));
  PARTITA_TRY_VOID(decode_start(body, decoded.read));
  const bool keyed = body.get("KeyConditionExpression").present() || body.get("KeyConditions").present();
  if (!keyed) return refuse(Fault::kQueryWithoutKeyCondition);
  PARTITA_TRY(expr::Placeholders given, placeholders(body));
  PARTITA_TRY(decoded.keys, decode_keys(body, given));
  PARTITA_TRY_VOID(decode_filter(body, given, decoded.read));
  PARTITA_TRY_VOID(decode_range(body, RangeKind::kQuery, given, decoded.read));
  PARTITA_TRY_VOID(given.check_all_used());
  if (body.get("KeyConditionExpression").present()) PARTITA_TRY_VOID(expr::check_key_condition(decoded.keys));
  decoded.read.forward = wire::truth(body.get("ScanIndexForward"), true);
  return decoded;
}

Result<void> check_filter(JsonValue body, const table::RangeRead& read, const model::KeySchema& keys) {
  if (!read.filter) return {};
  for (const auto& attribute : read.filter->attributes()) {
    if (!keys.names(attribute)) continue;
    const bool legacy = body.get("QueryFilter").present();
    return refuse(legacy ? Fault::kQueryFilterNamesKey : Fault::kFilterNamesKey, {attribute});
  }
  return {};
}

}  // namespace

Task<Result<std::string>> query(const Context& context, JsonValue body) {
  PARTITA_CO_TRY(Decoded decoded, decode(body));
  table::RangeRead& read = decoded.read;
  PARTITA_CO_TRY(read.table, ready_table(body, context));
  PARTITA_CO_TRY_VOID(choose_index(body, read));
  const model::KeySchema& keys = read.index == nullptr ? read.table->keys : read.index->keys;
  PARTITA_CO_TRY(read.range, expr::resolve(decoded.keys, keys));
  PARTITA_CO_TRY_VOID(check_paths(read));
  PARTITA_CO_TRY_VOID(check_filter(body, read, keys));
  co_return co_await run_range(context, body, read);
}

}  // namespace partita::ops
