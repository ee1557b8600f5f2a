// The words that stand for something in a statement, so that an attribute of that name has to be quoted.
#pragma once

#include <string_view>

namespace partita::partiql {

// All of these in lower case.
// SQL-92's reserved words, but for the parts of dates, and those that PartiQL adds; none that is an operator.
bool is_keyword(std::string_view word);
bool is_operator_word(std::string_view word);
// Two words, with a blank between them, that are one token: "is not", "insert into".
bool is_joined(std::string_view words);
// After IS: the name of a type.
bool is_type_name(std::string_view word);
// Keywords that may be called all the same: "size", "exists".
bool is_function_word(std::string_view word);

}  // namespace partita::partiql
