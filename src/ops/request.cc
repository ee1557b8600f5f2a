#include "ops/request.h"

#include <algorithm>
#include <array>

#include "model/fault.h"
#include "wire/error_body.h"
#include "wire/item_reader.h"
#include "wire/shape.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::JsonValue;

std::string join(const std::vector<std::string_view>& names, std::string_view separator) {
  std::string joined;
  for (const std::string_view name : names) {
    if (!joined.empty()) joined += separator;
    joined += name;
  }
  return joined;
}

std::vector<std::string_view> present(JsonValue body, std::initializer_list<std::string_view> names) {
  std::vector<std::string_view> found;
  for (const std::string_view name : names) {
    if (body.get(name).present()) found.push_back(name);
  }
  return found;
}

Error values_without_expression(const ExpressionRules& rules) {
  const std::vector<std::string_view> could(rules.expressions);
  // A projection uses no values.
  std::vector<std::string_view> named;
  std::ranges::copy_if(could, std::back_inserter(named), [](auto name) { return name != "ProjectionExpression"; });
  return refuse(Fault::kValuesWithoutExpression, {join(named, " and "), named.size() > 1 ? "are" : "is"});
}

// A fault in a placeholder's value names the placeholder.
Result<model::AttributeMap> placeholder_values(JsonValue values) {
  std::vector<model::AttributeMap::Entry> decoded;
  for (const auto& [key, value] : values.members()) {
    auto one = wire::decode_value(value);
    if (!one.ok()) {
      return refuse(Fault::kPlaceholderValueInvalid, {wire::message_of(one.error()), std::string(key),
                                                      wire::message_of(one.error(), wire::Words::kNewer)});
    }
    decoded.push_back({std::string(key), std::move(one).value()});
  }
  return model::AttributeMap::of(std::move(decoded));
}

Result<expr::LegacyCondition> legacy_condition(std::string_view attribute, JsonValue entry) {
  expr::LegacyCondition condition;
  condition.attribute = std::string(attribute);
  if (const JsonValue op = entry.get("ComparisonOperator"); op.present()) {
    condition.op = expr::parse_legacy_op(op.as_string());
  }
  if (const JsonValue values = entry.get("AttributeValueList"); values.present()) {
    condition.values.emplace();
    for (const JsonValue value : values.elements()) {
      PARTITA_TRY(model::AttributeValue decoded, wire::decode_value(value));
      condition.values->push_back(std::move(decoded));
    }
  }
  if (const JsonValue value = entry.get("Value"); value.present()) {
    PARTITA_TRY(condition.value, wire::decode_value(value));
  }
  if (const JsonValue exists = entry.get("Exists"); exists.present()) condition.exists = wire::truth(exists);
  return condition;
}

}  // namespace

Result<std::string> table_name_of(std::string_view name_or_arn, const Context& context) {
  constexpr std::string_view kPrefix = "arn:";
  if (!name_or_arn.starts_with(kPrefix)) return std::string(name_or_arn);
  // arn:aws:dynamodb:REGION:ACCOUNT:table/NAME
  std::array<std::string_view, 6> parts;
  std::string_view rest = name_or_arn;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t colon = i + 1 < parts.size() ? rest.find(':') : rest.size();
    if (colon == std::string_view::npos) return refuse(Fault::kArnInvalid, {std::string(name_or_arn)});
    parts[i] = rest.substr(0, colon);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  constexpr std::string_view kTable = "table/";
  if (parts[2] != "dynamodb" || !parts[5].starts_with(kTable)) {
    return refuse(Fault::kArnInvalid, {std::string(name_or_arn)});
  }
  if (parts[4] != context.caller.account_id) {
    return refuse(Fault::kArnOfAnotherAccount, {context.caller.access_key_id, std::string(name_or_arn)});
  }
  return std::string(parts[5].substr(kTable.size()));
}

Result<std::string> table_name(JsonValue body, const Context& context) {
  return table_name_of(body.get("TableName").as_string(), context);
}

Result<table::Table> ready_table(JsonValue body, const Context& context) {
  PARTITA_TRY(const std::string name, table_name(body, context));
  return context.database.ready_table(name);
}

CapacityDetail capacity_detail(JsonValue body) {
  const std::string wanted = text(body, "ReturnConsumedCapacity");
  if (wanted == "TOTAL") return CapacityDetail::kTotal;
  if (wanted == "INDEXES") return CapacityDetail::kIndexes;
  return CapacityDetail::kNone;
}

ReturnValues return_values(JsonValue body) {
  const std::string wanted = text(body, "ReturnValues");
  if (wanted == "ALL_OLD") return ReturnValues::kAllOld;
  if (wanted == "UPDATED_OLD") return ReturnValues::kUpdatedOld;
  if (wanted == "ALL_NEW") return ReturnValues::kAllNew;
  if (wanted == "UPDATED_NEW") return ReturnValues::kUpdatedNew;
  return ReturnValues::kNone;
}

bool wants_collection_metrics(JsonValue body) { return text(body, "ReturnItemCollectionMetrics") == "SIZE"; }

bool flag(JsonValue body, std::string_view name) { return wire::truth(body.get(name)); }

std::optional<int64_t> integer(JsonValue body, std::string_view name) {
  const JsonValue value = body.get(name);
  return value.present() ? std::optional(value.as_integer()) : std::nullopt;
}

std::string text(JsonValue body, std::string_view name) {
  const JsonValue value = body.get(name);
  return value.present() ? std::string(value.as_string()) : std::string();
}

Result<void> check_forms(JsonValue body, const ExpressionRules& rules) {
  const auto legacy = present(body, rules.legacy);
  const auto expressions = present(body, rules.expressions);
  if (!legacy.empty() && !expressions.empty()) {
    return refuse(Fault::kMixedExpressions, {join(legacy, ", "), join(expressions, ", ")});
  }
  if (!expressions.empty()) return {};
  if (body.get("ExpressionAttributeNames").present()) return refuse(Fault::kNamesWithoutExpression);
  if (body.get("ExpressionAttributeValues").present()) return values_without_expression(rules);
  return {};
}

Result<expr::Placeholders> placeholders(JsonValue body) {
  const JsonValue names = body.get("ExpressionAttributeNames");
  const JsonValue values = body.get("ExpressionAttributeValues");
  std::optional<expr::Placeholders::Names> given_names;
  if (names.present()) {
    given_names.emplace();
    for (const auto& [key, name] : names.members()) given_names->emplace_back(key, name.as_string());
  }
  std::optional<model::AttributeMap> given_values;
  if (values.present()) {
    PARTITA_TRY(given_values, placeholder_values(values));
  }
  return expr::Placeholders::make(std::move(given_names), std::move(given_values));
}

Result<std::optional<expr::Projection>> projection(JsonValue body, expr::Placeholders& given) {
  std::optional<expr::Projection> wanted;
  if (const JsonValue expression = body.get("ProjectionExpression"); expression.present()) {
    PARTITA_TRY(wanted, expr::parse_projection(expression.as_string(), given));
  }
  return wanted;
}

Result<std::optional<expr::Projection>> attributes_to_get(JsonValue body) {
  std::optional<expr::Projection> wanted;
  if (const JsonValue attributes = body.get("AttributesToGet"); attributes.present()) {
    std::vector<std::string> names;
    for (const JsonValue name : attributes.elements()) names.emplace_back(name.as_string());
    PARTITA_TRY(wanted, expr::lower_attributes_to_get(names));
  }
  return wanted;
}

Result<std::vector<expr::LegacyCondition>> legacy_conditions(JsonValue entries) {
  std::vector<expr::LegacyCondition> conditions;
  for (const auto& [attribute, entry] : entries.members()) {
    PARTITA_TRY(expr::LegacyCondition condition, legacy_condition(attribute, entry));
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

expr::LegacyJoin legacy_join(JsonValue body) {
  return text(body, "ConditionalOperator") == "OR" ? expr::LegacyJoin::kOr : expr::LegacyJoin::kAnd;
}

Result<void> check_conditional_operator(JsonValue body, std::string_view conditions) {
  if (!body.get("ConditionalOperator").present()) return {};
  const size_t count = body.get(conditions).size();
  if (count == 0) return refuse(Fault::kConditionalOperatorAlone, {std::string(conditions)});
  if (count == 1) return refuse(Fault::kConditionalOperatorSingle);
  return {};
}

}  // namespace partita::ops
