#include "expr/test_support.h"

#include "wire/fault_table.h"

namespace partita::expr::test {

std::string text_of(const Error& error) { return wire::fill(wire::row_of(model::fault_of(error)).text, error.args()); }

}  // namespace partita::expr::test
