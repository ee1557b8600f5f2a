// Prints statements, for tests: a parsed statement, printed and parsed again, is the same.
#pragma once

#include <optional>
#include <string>

#include "partiql/syntax.h"

namespace partita::partiql {

// Nullopt if the parser kept less than the text said: for a clause or a source that DynamoDB refuses.
std::optional<std::string> print(const Node& node);

}  // namespace partita::partiql
