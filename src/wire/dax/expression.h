// Expressions as DAX has them: trees in CBOR, in which clients have put names and values in the place of placeholders.
// The bytes of a condition, a filter, a key condition or an update are [1, tree, [value, ...]], those of a projection
// [1, [path, ...]].
//
// The readers check what the parsers of `expr` check, with the same faults; of faults about names as a request gives
// them, kEmptyAttributeName and kAttributeNameTooLong are left. Faults of values are those of read_value().
// kOverloaded: there is no memory for the expression.
// kDaxMalformed: the bytes are no tree, or one that no text has. Time and memory are linear in the bytes; a tree is at
// most as deep as an expression may have operators.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "expr/condition.h"
#include "expr/projection.h"
#include "expr/update.h"
#include "wire/dax/decoded_bytes.h"
#include "wire/item_reader.h"

namespace partita::wire::dax {

// `memory`: null: there is always enough. `nesting` is that of the values. If `canonical` is not null, bytes are
// appended to it that are equal for two expressions if these have the same tree and equal values, whatever the order of
// members of maps and sets.
Result<expr::Condition> read_condition(std::string_view bytes, expr::ExpressionKind kind,
                                       DecodedBytes* memory = nullptr, Nesting nesting = Nesting::kInItem,
                                       std::string* canonical = nullptr);
Result<expr::Update> read_update(std::string_view bytes, DecodedBytes* memory = nullptr,
                                 Nesting nesting = Nesting::kInItem, std::string* canonical = nullptr);

// Has a column for each path, which is named by the path's position: "0", "1" and so on.
Result<expr::Projection> read_projection(std::string_view bytes, DecodedBytes* memory = nullptr);

}  // namespace partita::wire::dax
