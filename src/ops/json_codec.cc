#include "ops/json_codec.h"

#include "wire/checks.h"
#include "wire/shape_check.h"

namespace partita::ops {

namespace {

Result<std::unique_ptr<Execution>> made_of(const Context& context, const wire::JsonDocument& document) {
  const JsonCodec& json = context.operation.json;
  if (json.check != nullptr) PARTITA_TRY_VOID(json.check(context.body, document));
  wire::Members in;
  if (!in.fits(document.root(), *json.shape)) PARTITA_TRY_VOID(wire::check_shape(document.root(), *json.shape));
  auto made = json.decode(in);
  if (!made.ok()) return wire::worded(std::move(made).error(), document.root(), *json.shape);
  return made;
}

}  // namespace

Result<std::unique_ptr<Execution>> decode(const Context& context, wire::JsonDocument document) {
  auto made = made_of(context, document);
  if (!made.ok() && context.footprint != nullptr) note_names(document.root(), *context.footprint);
  return made;
}

void note_names(wire::JsonValue body, RequestFootprint& footprint) {
  const auto note = [&](wire::JsonValue value) {
    if (value.is(wire::JsonValue::Kind::kString)) footprint.name(std::string(value.as_string()));
  };
  for (const std::string_view member : {"TableName", "ResourceArn", "StreamArn", "ResourceId", "ResourceARN"})
    note(body.get(member));
  for (const auto& [table, requests] : body.get("RequestItems").members()) footprint.name(std::string(table));
  for (const wire::JsonValue part : body.get("TransactItems").elements()) {
    for (const auto& [kind, action] : part.members()) note(action.get("TableName"));
  }
}

}  // namespace partita::ops
