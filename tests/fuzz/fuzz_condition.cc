// Conditions and filters: what parses must print to the same condition, and mean the same in every way of asking.
#include "expr/condition.h"
#include "expression.h"
#include "print.h"

namespace partita::fuzz {
namespace {

using expr::Condition;
using expr::ExpressionKind;
using model::Item;

Condition negated(const Condition& condition) {
  expr::ConditionNode node;
  node.op = expr::ConditionOp::kNot;
  node.children.push_back(condition.root());
  return Condition(std::move(node));
}

void check_meaning(const Condition& condition, const Condition& again, const Item& item) {
  const bool met = expr::evaluate(condition, item);
  PARTITA_CHECK(expr::evaluate(again, item) == met);
  PARTITA_CHECK(expr::evaluate(negated(condition), item) != met);
  PARTITA_CHECK(expr::evaluate(condition, restricted(item, condition.attributes())) == met);
}

void check(const Expression& expression) {
  expr::Placeholders given = expression.given();
  expr::Placeholders given_again = expression.given();
  const Result<Condition> condition = expr::parse_condition(expression.text, ExpressionKind::kCondition, given);
  const Result<Condition> filter = expr::parse_condition(expression.text, ExpressionKind::kFilter, given_again);
  PARTITA_CHECK(condition.ok() == filter.ok());
  if (!condition.ok()) {
    refusal(condition.error());
    refusal(filter.error());
    return;
  }
  const Printed printed = print(condition.value());
  if (!printed.fits()) return;
  expr::Placeholders given_printed = printed.given();
  const Result<Condition> again = expr::parse_condition(printed.text, ExpressionKind::kCondition, given_printed);
  PARTITA_CHECK(again.ok() && print(again.value()) == printed);
  PARTITA_CHECK(given_printed.check_all_used().ok());
  check_meaning(condition.value(), again.value(), expression.item);
  check_meaning(condition.value(), again.value(), Item());
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return partita::fuzz::look_at_expression(data, size, partita::fuzz::check);
}
