// Words that an expression may not use as attribute names; a #name replaces them.
#pragma once

#include <string_view>

namespace partita::expr {

// Ignores case.
bool is_reserved_word(std::string_view name);

}  // namespace partita::expr
