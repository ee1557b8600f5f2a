// Words with a meaning in statements. An attribute of such a name has to be quoted.
#pragma once

#include <string_view>

namespace partita::partiql {

// Arguments of all functions are in lower case.
// SQL-92's reserved words, except parts of dates, and those that PartiQL adds; no operators.
bool is_keyword(std::string_view word);
bool is_operator_word(std::string_view word);
// Two words with a blank that are one token: "is not", "insert into".
bool is_joined(std::string_view words);
// The name of a type, as after IS.
bool is_type_name(std::string_view word);
// Keywords that may also be called as functions: "size", "exists".
bool is_function_word(std::string_view word);

}  // namespace partita::partiql
