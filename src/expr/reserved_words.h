// The words that an expression may not use as an attribute name; a #name stands in for them.
#pragma once

#include <string_view>

namespace partita::expr {

// Whatever the case of its letters.
bool is_reserved_word(std::string_view name);

}  // namespace partita::expr
