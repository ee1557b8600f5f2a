// LexDecimal: the form of a number as DAX's sort key, whose byte order is number order. One number has many forms (3
// and 3.0 differ), so the bytes are no identity.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/number.h"

namespace partita::wire::dax {

// The number that `bytes` as a whole encode. Faults: those of model::Number::parse(); kKeySchemaMismatch for bytes that
// are no number. The time is linear in the bytes.
Result<model::Number> read_lex_decimal(std::string_view bytes);

// The form without trailing zeros. Returns its end. `out` needs room for kMaxLexDecimalBytes.
inline constexpr size_t kMaxLexDecimalBytes = 5 + 18;  // the exponent, then 13 groups and the terminator, 10 bits each
char* write_lex_decimal(char* out, const model::Number& number);
// The same of a number in its compact form (Number::write_compact()); null if it is none.
char* write_lex_decimal(char* out, std::string_view compact);

}  // namespace partita::wire::dax
