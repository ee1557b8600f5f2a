#include "ops/request.h"

#include <algorithm>

#include "model/fault.h"
#include "ops/driver.h"
#include "ops/enum_names.h"
#include "wire/error_body.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::Field;
using wire::JsonValue;
using wire::Members;

std::string join(const std::vector<std::string_view>& names, std::string_view separator) {
  std::string joined;
  for (const std::string_view name : names) {
    if (!joined.empty()) joined += separator;
    joined += name;
  }
  return joined;
}

std::vector<std::string_view> present(const Members& in, std::initializer_list<Field> fields) {
  std::vector<std::string_view> found;
  for (const Field field : fields) {
    if (in.has(field)) found.push_back(wire::name_of(field));
  }
  return found;
}

bool has_any(const Members& in, std::initializer_list<Field> fields) {
  return std::ranges::any_of(fields, [&](Field field) { return in.has(field); });
}

Error values_without_expression(const ExpressionRules& rules) {
  std::vector<std::string_view> named;
  for (const Field field : rules.expressions) {
    if (field != Field::kProjectionExpression) named.push_back(wire::name_of(field));  // a projection uses no values
  }
  return refuse(Fault::kValuesWithoutExpression, {join(named, " and "), named.size() > 1 ? "are" : "is"});
}

// A fault in a placeholder's value names the placeholder, the first in the order of the text.
Result<model::AttributeMap> placeholder_values(const JsonValue& values, wire::Nesting nesting) {
  std::vector<model::AttributeMap::Entry> decoded;
  for (const auto& [key, value] : values.members()) {
    auto one = wire::decode_value(value, nesting);
    if (!one.ok()) {
      return refuse(Fault::kPlaceholderValueInvalid, {wire::message_of(one.error()), std::string(key),
                                                      wire::message_of(one.error(), wire::Words::kNewer)});
    }
    decoded.push_back({std::string(key), std::move(one).value()});
  }
  return model::AttributeMap::of(std::move(decoded));
}

Result<expr::LegacyCondition> legacy_condition(std::string_view attribute, const Members& entry) {
  expr::LegacyCondition condition;
  condition.attribute = std::string(attribute);
  if (entry.has(Field::kComparisonOperator)) {
    condition.op = expr::parse_legacy_op(entry.text(Field::kComparisonOperator));
  }
  if (entry.has(Field::kAttributeValueList)) {
    condition.values.emplace();
    for (const JsonValue value : entry[Field::kAttributeValueList].elements()) {
      PARTITA_TRY(model::AttributeValue decoded, wire::decode_value(value));
      condition.values->push_back(std::move(decoded));
    }
  }
  if (entry.has(Field::kValue)) {
    PARTITA_TRY(condition.value, wire::decode_value(entry[Field::kValue]));
  }
  if (entry.has(Field::kExists)) condition.exists = entry.flag(Field::kExists);
  return condition;
}

}  // namespace

api::CapacityDetail capacity_detail(const Members& in) {
  return kCapacityDetails.value_of(in.text(Field::kReturnConsumedCapacity), api::CapacityDetail::kNone);
}

api::ReturnValues return_values(const Members& in) {
  return kReturnValues.value_of(in.text(Field::kReturnValues), api::ReturnValues::kNone);
}

bool returns_item_on_failure(const Members& in) {
  const std::string_view word = in.text(Field::kReturnValuesOnConditionCheckFailure);
  return kReturnValues.value_of(word, api::ReturnValues::kNone) == api::ReturnValues::kAllOld;
}

bool wants_collection_metrics(const Members& in) { return in.text(Field::kReturnItemCollectionMetrics) == "SIZE"; }

Result<void> check_forms(const Members& in, const ExpressionRules& rules) {
  const bool expressions = has_any(in, rules.expressions);
  if (expressions && has_any(in, rules.legacy)) {
    return refuse(Fault::kMixedExpressions,
                  {join(present(in, rules.legacy), ", "), join(present(in, rules.expressions), ", ")});
  }
  if (expressions) return {};
  if (in.has(Field::kExpressionAttributeNames)) return refuse(Fault::kNamesWithoutExpression);
  if (in.has(Field::kExpressionAttributeValues)) return values_without_expression(rules);
  return {};
}

Result<expr::Placeholders> placeholders(const Members& in, wire::Nesting nesting) {
  const JsonValue names = in[Field::kExpressionAttributeNames];
  const JsonValue values = in[Field::kExpressionAttributeValues];
  if (!names.present() && !values.present()) return expr::Placeholders();
  std::optional<expr::Placeholders::Names> given_names;
  if (names.present()) {
    given_names.emplace();
    for (const auto& [key, name] : wire::distinct_members(names)) given_names->emplace_back(key, name.as_string());
  }
  std::optional<model::AttributeMap> given_values;
  if (values.present()) {
    PARTITA_TRY(given_values, placeholder_values(values, nesting));
  }
  return expr::Placeholders::make(std::move(given_names), std::move(given_values));
}

std::vector<std::string> texts(const JsonValue& list) {
  std::vector<std::string> all;
  for (const JsonValue text : list.elements()) all.emplace_back(text.as_string());
  return all;
}

Result<std::optional<expr::Projection>> projection(const Members& in, expr::Placeholders& given) {
  std::optional<expr::Projection> wanted;
  if (in.has(Field::kProjectionExpression)) {
    PARTITA_TRY(wanted, expr::parse_projection(in.text(Field::kProjectionExpression), given));
  }
  return wanted;
}

Result<std::optional<expr::Projection>> attributes_to_get(const Members& in) {
  std::optional<expr::Projection> wanted;
  if (in.has(Field::kAttributesToGet)) {
    PARTITA_TRY(wanted, expr::lower_attributes_to_get(texts(in[Field::kAttributesToGet])));
  }
  return wanted;
}

Result<std::vector<expr::LegacyCondition>> legacy_conditions(const Members& in, Field field) {
  std::vector<expr::LegacyCondition> conditions;
  if (!in.has(field)) return conditions;
  const wire::Shape& shape = in.element_shape(field);
  for (const auto& [attribute, entry] : wire::distinct_members(in[field])) {
    PARTITA_TRY(expr::LegacyCondition condition, legacy_condition(attribute, Members(entry, shape)));
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

expr::LegacyJoin legacy_join(const Members& in) {
  return in.text(Field::kConditionalOperator) == "OR" ? expr::LegacyJoin::kOr : expr::LegacyJoin::kAnd;
}

Result<void> check_conditional_operator(const Members& in, Field conditions) {
  if (!in.has(Field::kConditionalOperator)) return {};
  const size_t count = in[conditions].size();
  if (count == 0) return refuse(Fault::kConditionalOperatorAlone, {std::string(wire::name_of(conditions))});
  if (count == 1) return refuse(Fault::kConditionalOperatorSingle);
  return {};
}

}  // namespace partita::ops
