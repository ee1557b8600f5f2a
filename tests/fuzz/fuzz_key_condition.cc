// Key conditions: an item is in the range that a key condition becomes exactly when it meets the condition.
#include "expr/key_condition.h"
#include "expr/test_support.h"
#include "expression.h"
#include "print.h"

namespace partita::fuzz {
namespace {

using expr::Condition;
using expr::KeyRange;
using expr::SortOp;
using model::AttributeValue;
using model::Item;
using model::KeySchema;
using model::Type;

bool in_range(const KeyRange& range, const KeySchema& schema, const Item& item) {
  PARTITA_CHECK(range.partition.size() == schema.partition.size());
  for (size_t i = 0; i < range.partition.size(); ++i) {
    if (*item.find(schema.partition[i].name) != range.partition[i]) return false;
  }
  for (size_t i = 0; i < range.sort_equals.size(); ++i) {
    if (*item.find(schema.sort.at(i).name) != range.sort_equals[i]) return false;
  }
  if (!range.sort_range) return true;
  return expr::test::meets(*range.sort_range, *item.find(schema.sort.at(range.sort_equals.size()).name));
}

std::vector<AttributeValue> values_of(Type type, const Expression& expression) {
  std::vector<AttributeValue> found;
  if (type == Type::kN) found.push_back(AttributeValue::number(model::Number::of(0)));
  if (type == Type::kS) found.push_back(AttributeValue::string("text0"));
  if (type == Type::kB) found.push_back(AttributeValue::binary(std::string(1, '\0')));
  for (const auto* map : {&expression.item, &expression.values}) {
    for (const auto& [name, value] : *map) {
      if (value.is(type) && found.size() < 8) found.push_back(value);
    }
  }
  return found;
}

void check_range(const Condition& condition, const KeySchema& schema, const Expression& expression) {
  const Result<KeyRange> range = expr::resolve(condition, schema);
  if (!range.ok()) {
    refusal(range.error());
    return;
  }
  if (range.value().sort_range && range.value().sort_range->op == SortOp::kBetween) {
    PARTITA_CHECK(model::compare_scalars(range.value().sort_range->value, range.value().sort_range->upper) <= 0);
  }
  Item item = expression.item;
  const Type last = schema.sort.empty() ? Type::kS : schema.sort.back().type;
  for (const AttributeValue& partition : values_of(schema.partition[0].type, expression)) {
    for (const AttributeValue& sort : values_of(last, expression)) {
      for (const auto& [name, type] : schema.partition) item.set(name, partition);
      for (const auto& [name, type] : schema.sort) item.set(name, sort);
      PARTITA_CHECK(in_range(range.value(), schema, item) == expr::evaluate(condition, item));
    }
  }
}

void check(const Expression& expression) {
  expr::Placeholders given = expression.given();
  const Result<Condition> condition = expr::parse_key_condition(expression.text, given);
  if (!condition.ok()) {
    refusal(condition.error());
    return;
  }
  const Printed printed = print(condition.value());
  if (printed.fits()) {
    expr::Placeholders given_printed = printed.given();
    const Result<Condition> again = expr::parse_key_condition(printed.text, given_printed);
    PARTITA_CHECK(again.ok() && print(again.value()) == printed);
  }
  if (const Result<void> allowed = expr::check_key_condition(condition.value()); !allowed.ok()) {
    refusal(allowed.error());
    return;
  }
  for (const Type type : {Type::kS, Type::kN, Type::kB}) {
    check_range(condition.value(), {{{"p", type}}, {}}, expression);
    check_range(condition.value(), {{{"p", Type::kS}}, {{"s", type}}}, expression);
    check_range(condition.value(), {{{"p", type}, {"a", type}}, {{"s", type}, {"b", type}}}, expression);
  }
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return partita::fuzz::look_at_expression(data, size, partita::fuzz::check);
}
