#include "model/fault.h"
#include "model/limits.h"
#include "ops/items/write_call.h"
#include "ops/json_codec.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using wire::Field;
using wire::Members;

Result<std::vector<expr::LegacyUpdate>> legacy_updates(const Members& in) {
  std::vector<expr::LegacyUpdate> updates;
  const wire::Shape& shape = in.element_shape(Field::kAttributeUpdates);
  for (const auto& [attribute, value] : wire::distinct_members(in[Field::kAttributeUpdates])) {
    const Members entry(value, shape);
    expr::LegacyUpdate update;
    update.attribute = std::string(attribute);
    const std::string_view action = entry.text(Field::kAction);
    if (action == "ADD") update.action = expr::LegacyAction::kAdd;
    if (action == "DELETE") update.action = expr::LegacyAction::kDelete;
    if (entry.has(Field::kValue)) {
      PARTITA_TRY(update.value, wire::decode_value(entry[Field::kValue]));
    }
    updates.push_back(std::move(update));
  }
  return updates;
}

struct UpdateItem : WriteCall {
  static Result<Request> decode(const Members& in) {
    PARTITA_TRY_VOID(check_forms(
        in, {{Field::kUpdateExpression, Field::kConditionExpression}, {Field::kAttributeUpdates, Field::kExpected}}));
    Request request;
    decode_rest(in, request);
    api::WriteAction& action = request.action;
    action.kind = api::WriteAction::Kind::kUpdate;
    PARTITA_TRY_VOID(decode_target(in, Field::kKey, action));
    if (in.has(Field::kAttributeUpdates)) {
      PARTITA_TRY(const auto updates, legacy_updates(in));
      PARTITA_TRY(action.update, expr::lower_attribute_updates(updates));
    }
    PARTITA_TRY_VOID(decode_expected(in, action));
    PARTITA_TRY(expr::Placeholders given, placeholders(in));
    if (in.has(Field::kUpdateExpression)) {
      PARTITA_TRY(action.update, expr::parse_update(in.text(Field::kUpdateExpression), given));
      if (expr::statement_bytes(action.update) > model::kMaxItemBytes) {
        return model::refuse(model::Fault::kItemToUpdateTooLarge);
      }
    }
    PARTITA_TRY_VOID(decode_condition(in, given, action));
    PARTITA_TRY_VOID(given.check_all_used());
    action.wants_before = true;
    return request;
  }
};

}  // namespace

constinit const JsonCodec update_item = json_codec<UpdateItem>(wire::shapes::kUpdateItem);

}  // namespace partita::ops
