// Updates: what parses must print to the same update; what it makes of an item must be an item, and leave alone what
// it does not name.
#include <algorithm>

#include "expr/update.h"
#include "expression.h"
#include "print.h"

namespace partita::fuzz {
namespace {

using expr::Update;
using expr::UpdateAction;
using model::AttributeValue;
using model::Item;

void check_rest_is_untouched(const Update& update, const Item& before, const Item& after) {
  const auto named = [&](const std::string& attribute) {
    return std::ranges::any_of(update.actions(),
                               [&](const UpdateAction& action) { return action.path.attribute == attribute; });
  };
  for (const auto& [name, value] : before) {
    if (named(name)) continue;
    const AttributeValue* found = after.find(name);
    PARTITA_CHECK(found != nullptr && *found == value);
  }
  for (const auto& [name, value] : after) PARTITA_CHECK(before.contains(name) || named(name));
}

void check_effect(const Update& update, const Update& again, const Item* old, const Item& key) {
  const Result<Item> after = expr::apply(update, old, key);
  const Result<Item> after_again = expr::apply(again, old, key);
  PARTITA_CHECK(after.ok() == after_again.ok());
  if (!after.ok()) {
    PARTITA_CHECK(refusal(after.error()) == refusal(after_again.error()));
    return;
  }
  PARTITA_CHECK(after.value() == after_again.value());
  check_item_is_sound(after.value());
  const Item& before = old != nullptr ? *old : key;
  check_rest_is_untouched(update, before, after.value());
  check_item_is_sound(expr::touched(update, before));
  check_item_is_sound(expr::touched(update, after.value()));
}

void check(const Expression& expression) {
  expr::Placeholders given = expression.given();
  const Result<Update> update = expr::parse_update(expression.text, given);
  if (!update.ok()) {
    refusal(update.error());
    return;
  }
  const Printed printed = print(update.value());
  if (!printed.fits()) return;
  expr::Placeholders given_printed = printed.given();
  const Result<Update> again = expr::parse_update(printed.text, given_printed);
  PARTITA_CHECK(again.ok() && print(again.value()) == printed);
  PARTITA_CHECK(expr::statement_bytes(again.value()) == expr::statement_bytes(update.value()));
  const Item key = restricted(expression.item, {"p"});
  check_effect(update.value(), again.value(), &expression.item, key);
  check_effect(update.value(), again.value(), nullptr, key);
  static_cast<void>(expr::check_no_key(update.value(), {{{"p", model::Type::kS}}, {}}).ok());
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return partita::fuzz::look_at_expression(data, size, partita::fuzz::check);
}
