#include "ops/write_call.h"

#include "model/fault.h"
#include "ops/reply.h"
#include "wire/item_reader.h"
#include "wire/json_writer.h"

namespace partita::ops {

Result<table::WriteAction> decode_write(wire::JsonValue body, table::WriteAction::Kind kind, std::string_view member,
                                        expr::Placeholders& given) {
  table::WriteAction action;
  action.kind = kind;
  PARTITA_TRY(action.item, wire::decode_item(body.get(member)));
  if (kind == table::WriteAction::Kind::kPut) PARTITA_TRY_VOID(table::check_item_size(action.item));
  PARTITA_TRY_VOID(check_conditional_operator(body, "Expected"));
  PARTITA_TRY(action.condition, write_condition(body, given));
  action.return_item_on_failure = text(body, "ReturnValuesOnConditionCheckFailure") == "ALL_OLD";
  return action;
}

namespace {

Result<table::WriteAction> decode_replacement(wire::JsonValue body, table::WriteAction::Kind kind,
                                              std::string_view member) {
  const ReturnValues returned = return_values(body);
  if (returned != ReturnValues::kNone && returned != ReturnValues::kAllOld) {
    return model::refuse(model::Fault::kReturnValuesOldOnly);
  }
  PARTITA_TRY(expr::Placeholders given, placeholders(body, {{"ConditionExpression"}, {"Expected"}}));
  PARTITA_TRY(table::WriteAction action, decode_write(body, kind, member, given));
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
