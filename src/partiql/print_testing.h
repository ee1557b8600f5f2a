// Statements written out again, for tests: what was parsed, printed and parsed again is the same.
#pragma once

#include <optional>
#include <string>

#include "partiql/syntax.h"

namespace partita::partiql {

// Nothing when the parser has kept less than the text said: of a clause or a source that DynamoDB refuses.
std::optional<std::string> print(const Node& node);

}  // namespace partita::partiql
