// An expression, and what a request gives it, out of a target's input:
//   first line     the expression
//   second line    the item that it meets, as a request's JSON
//   third line     ExpressionAttributeValues, as JSON
// Where a line is missing or is no such JSON, something that has every type stands in for it. The names #a, #b, #c, #n,
// #p and #s are always given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/placeholders.h"
#include "input.h"
#include "model/value.h"

namespace partita::fuzz {

struct Expression {
  std::string_view text;
  model::Item item;
  model::AttributeMap values;

  // Fresh, with nothing used.
  expr::Placeholders given() const;
};

// Nothing when the expression is not UTF-8, which no request can bring.
std::optional<Expression> read_expression(Input& in);
// What a target of such expressions does, and returns: `check` looks at the one in the input, if there is one.
int look_at_expression(const uint8_t* data, size_t size, void (*check)(const Expression&));

// The only attributes of the item that have these names.
model::Item restricted(const model::Item& item, const std::vector<std::string>& names);

// What a client would be told; checks that it can be told.
std::string refusal(const Error& error);

// Checks that the item as a reply's JSON is an item that a request may have, and the same one.
void check_item_is_sound(const model::Item& item);

}  // namespace partita::fuzz
