#include "ops/write_call.h"

#include "model/fault.h"
#include "ops/reply.h"
#include "wire/item_reader.h"
#include "wire/json_writer.h"

namespace partita::ops {

Result<void> decode_target(wire::JsonValue body, std::string_view member, table::WriteAction& action) {
  PARTITA_TRY(action.item, wire::decode_item(body.get(member)));
  action.return_item_on_failure = text(body, "ReturnValuesOnConditionCheckFailure") == "ALL_OLD";
  return {};
}

Result<void> decode_expected(wire::JsonValue body, table::WriteAction& action) {
  PARTITA_TRY_VOID(check_conditional_operator(body, "Expected"));
  const wire::JsonValue expected = body.get("Expected");
  if (!expected.present()) return {};
  PARTITA_TRY(const auto entries, legacy_conditions(expected));
  PARTITA_TRY(action.condition, expr::lower_expected(entries, legacy_join(body)));
  return {};
}

Result<void> decode_condition(wire::JsonValue body, expr::Placeholders& given, table::WriteAction& action) {
  const wire::JsonValue expression = body.get("ConditionExpression");
  if (!expression.present()) return {};
  PARTITA_TRY(action.condition, expr::parse_condition(expression.as_string(), expr::Source::kCondition, given));
  return {};
}

namespace {

Result<table::WriteAction> decode_replacement(wire::JsonValue body, table::WriteAction::Kind kind,
                                              std::string_view member) {
  PARTITA_TRY_VOID(check_forms(body, {{"ConditionExpression"}, {"Expected"}}));
  table::WriteAction action;
  action.kind = kind;
  PARTITA_TRY_VOID(decode_target(body, member, action));
  const ReturnValues returned = return_values(body);
  if (returned != ReturnValues::kNone && returned != ReturnValues::kAllOld) {
    return model::refuse(model::Fault::kReturnValuesOldOnly);
  }
  if (kind == table::WriteAction::Kind::kPut) PARTITA_TRY_VOID(table::check_item_size(action.item));
  PARTITA_TRY_VOID(decode_expected(body, action));
  PARTITA_TRY(expr::Placeholders given, placeholders(body));
  PARTITA_TRY_VOID(decode_condition(body, given, action));
  PARTITA_TRY_VOID(given.check_all_used());
  action.wants_before = returned == ReturnValues::kAllOld;
  return action;
}

}  // namespace

Task<Result<std::string>> replace_item(const Context& context, wire::JsonValue body, table::WriteAction::Kind kind,
                                       std::string_view member) {
  PARTITA_CO_TRY(const table::WriteAction action, decode_replacement(body, kind, member));
  PARTITA_CO_TRY(const table::Table table, ready_table(body, context));
  auto written = co_await table::write_item(context.database, table, action);
  if (!written.ok()) co_return std::move(written).error();
  const model::Item* returned = action.wants_before && written->before ? &*written->before : nullptr;
  co_return co_await write_reply(context, body, table, action.item, *written, returned);
}

Task<Result<std::string>> write_reply(const Context& context, wire::JsonValue body, table::Table table,
                                      const model::Item& item, const table::Written& written,
                                      const model::Item* returned) {
  wire::JsonWriter json;
  json.begin_object();
  if (returned != nullptr) {
    json.key("Attributes");
    json.write_item(*returned);
  }
  write_capacity_member(json, written.change.consumed, capacity_detail(body));
  if (wants_collection_metrics(body) && table->has_local_index()) {
    json.key("ItemCollectionMetrics");
    PARTITA_CO_TRY_VOID(co_await write_collection_metrics(json, context, table, item));
  }
  json.end_object();
  co_return std::move(json).take();
}

}  // namespace partita::ops
