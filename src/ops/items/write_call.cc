#include "ops/items/write_call.h"

#include "model/fault.h"
#include "ops/reply.h"
#include "wire/item_reader.h"
#include "wire/json_writer.h"

namespace partita::ops {

using api::ReturnValues;
using wire::Field;
using wire::Members;

Result<void> decode_target(const Members& in, Field field, api::WriteAction& action) {
  if (action.kind == api::WriteAction::Kind::kPut) {
    PARTITA_TRY(action.item, wire::decode_encoded_item(in[field]));
  } else {
    PARTITA_TRY(action.key, wire::decode_item(in[field]));
  }
  action.return_item_on_failure = returns_item_on_failure(in);
  return {};
}

Result<void> decode_expected(const Members& in, api::WriteAction& action) {
  PARTITA_TRY_VOID(check_conditional_operator(in, Field::kExpected));
  if (!in.has(Field::kExpected)) return {};
  PARTITA_TRY(const auto entries, legacy_conditions(in, Field::kExpected));
  PARTITA_TRY(action.condition, expr::lower_expected(entries, legacy_join(in)));
  return {};
}

Result<void> decode_condition(const Members& in, expr::Placeholders& given, api::WriteAction& action) {
  if (!in.has(Field::kConditionExpression)) return {};
  const std::string_view expression = in.text(Field::kConditionExpression);
  PARTITA_TRY(action.condition, expr::parse_condition(expression, expr::ExpressionKind::kCondition, given));
  return {};
}

void decode_rest(const Members& in, api::WriteRequest& request) {
  request.table = in.text(Field::kTableName);
  request.returned = return_values(in);
  request.capacity = capacity_detail(in);
  request.wants_collection_bytes = wants_collection_metrics(in);
}

Result<api::WriteRequest> decode_replacement(const Members& in, api::WriteAction::Kind kind, Field field) {
  PARTITA_TRY_VOID(check_forms(in, {{Field::kConditionExpression}, {Field::kExpected}}));
  api::WriteRequest request;
  api::WriteAction& action = request.action;
  action.kind = kind;
  PARTITA_TRY_VOID(decode_target(in, field, action));
  decode_rest(in, request);
  if (request.returned != ReturnValues::kNone && request.returned != ReturnValues::kAllOld) {
    return model::refuse(model::Fault::kReturnValuesOldOnly);
  }
  if (kind == api::WriteAction::Kind::kPut) PARTITA_TRY_VOID(api::check_item_size(api::named_bytes(action)));
  PARTITA_TRY_VOID(decode_expected(in, action));
  PARTITA_TRY(expr::Placeholders given, placeholders(in));
  PARTITA_TRY_VOID(decode_condition(in, given, action));
  PARTITA_TRY_VOID(given.check_all_used());
  action.wants_before = request.returned == ReturnValues::kAllOld;
  return request;
}

Result<std::string> WriteCall::encode(const Request& request, const api::WriteReply& reply) {
  wire::JsonWriter json;
  json.begin_object();
  model::Item touched;
  const model::Item* returned = returned_item(request.returned, request.action.update, reply.written, touched);
  if (returned != nullptr) {
    json.key("Attributes");
    json.write_item(*returned);
  }
  write_capacity_member(json, reply.written.consumed, request.capacity);
  if (reply.collection) {
    json.key("ItemCollectionMetrics");
    write_collection_metrics(json, *reply.collection);
  }
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::ops
