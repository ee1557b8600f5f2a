#include "model/fault.h"
#include "model/limits.h"
#include "ops/handlers.h"
#include "ops/write_call.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using wire::JsonValue;

Result<std::vector<expr::LegacyUpdate>> legacy_updates(JsonValue entries) {
  std::vector<expr::LegacyUpdate> updates;
  for (const auto& [attribute, entry] : entries.members()) {
    expr::LegacyUpdate update;
    update.attribute = std::string(attribute);
    const std::string action = text(entry, "Action");
    if (action == "ADD") update.action = expr::LegacyAction::kAdd;
    if (action == "DELETE") update.action = expr::LegacyAction::kDelete;
    if (const JsonValue value = entry.get("Value"); value.present()) {
      PARTITA_TRY(update.value, wire::decode_value(value));
    }
    updates.push_back(std::move(update));
  }
  return updates;
}

Result<table::WriteAction> decode(JsonValue body) {
  PARTITA_TRY_VOID(check_forms(body, {{"UpdateExpression", "ConditionExpression"}, {"AttributeUpdates", "Expected"}}));
  table::WriteAction action;
  action.kind = table::WriteAction::Kind::kUpdate;
  PARTITA_TRY_VOID(decode_target(body, "Key", action));
  if (const JsonValue entries = body.get("AttributeUpdates"); entries.present()) {
    PARTITA_TRY(const auto updates, legacy_updates(entries));
    PARTITA_TRY(action.update, expr::lower_attribute_updates(updates));
  }
  PARTITA_TRY_VOID(decode_expected(body, action));
  PARTITA_TRY(expr::Placeholders given, placeholders(body));
  if (const JsonValue expression = body.get("UpdateExpression"); expression.present()) {
    PARTITA_TRY(action.update, expr::parse_update(expression.as_string(), given));
    if (expr::statement_bytes(action.update) > model::kMaxItemBytes) {
      return model::refuse(model::Fault::kItemToUpdateTooLarge);
    }
  }
  PARTITA_TRY_VOID(decode_condition(body, given, action));
  PARTITA_TRY_VOID(given.check_all_used());
  action.wants_before = true;
  return action;
}

std::optional<model::Item> returned_item(ReturnValues wanted, const expr::Update& update,
                                         const table::Written& written) {
  std::optional<model::Item> returned;
  const auto& source =
      wanted == ReturnValues::kAllOld || wanted == ReturnValues::kUpdatedOld ? written.before : written.after;
  if (wanted == ReturnValues::kNone || !source) return returned;
  if (wanted == ReturnValues::kAllOld || wanted == ReturnValues::kAllNew) return source;
  model::Item touched = expr::touched(update, *source);
  if (!touched.empty()) returned = std::move(touched);
  return returned;
}

}  // namespace

Task<Result<std::string>> update_item(const Context& context, JsonValue body) {
  PARTITA_CO_TRY(const table::WriteAction action, decode(body));
  PARTITA_CO_TRY(const table::Table table, ready_table(body, context));
  auto written = co_await table::write_item(context.database, table, action);
  if (!written.ok()) co_return std::move(written).error();
  const auto returned = returned_item(return_values(body), action.update, *written);
  co_return co_await write_reply(context, body, table, action.item, *written, returned ? &*returned : nullptr);
}

}  // namespace partita::ops
