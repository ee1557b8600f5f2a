// Projections: what parses must print to the same projection, and leave the same of an item in every way of asking.
#include "expr/projection.h"
#include "expression.h"
#include "print.h"

namespace partita::fuzz {
namespace {

using expr::Projection;
using model::Item;

void check(const Expression& expression) {
  expr::Placeholders given = expression.given();
  const Result<Projection> parsed = expr::parse_projection(expression.text, given);
  if (!parsed.ok()) {
    refusal(parsed.error());
    return;
  }
  const Projection& projection = parsed.value();
  const Item kept = expr::project(projection, expression.item);
  check_item_is_sound(kept);
  PARTITA_CHECK(expr::project(projection, restricted(expression.item, projection.attributes())) == kept);
  PARTITA_CHECK(expr::project(projection, Item()).empty());
  if (projection.whole_attributes()) {
    PARTITA_CHECK(kept == restricted(expression.item, projection.attributes()));
  }
  for (const expr::Path& path : projection.paths()) {
    const model::AttributeValue* found = expr::find(expression.item, path);
    PARTITA_CHECK(found == nullptr || kept.contains(path.attribute));
  }
  const Printed printed = print(projection);
  if (!printed.fits()) return;
  expr::Placeholders given_printed = printed.given();
  const Result<Projection> again = expr::parse_projection(printed.text, given_printed);
  PARTITA_CHECK(again.ok() && print(again.value()) == printed);
  PARTITA_CHECK(expr::project(again.value(), expression.item) == kept);
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return partita::fuzz::look_at_expression(data, size, partita::fuzz::check);
}
