// Which items of its table a sink carries.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "expr/condition.h"
#include "model/value.h"

namespace partita::sinks {

// Callable from any thread once it is made.
class ItemFilter {
 public:
  // Selects all items.
  ItemFilter() = default;
  // A filter expression with its placeholders; an empty one selects all items. Faults: those of expressions, also for a
  // placeholder that is not used.
  static Result<ItemFilter> parse(const std::string& expression,
                                  const std::vector<std::pair<std::string, std::string>>& names,
                                  const model::Item& values);

  // The item of a stored record; nothing if there is no record, or if it is not selected. Error: kCorrupt.
  Result<std::optional<model::Item>> select(const std::optional<std::string>& stored) const;

 private:
  std::optional<expr::Condition> condition_;
};

}  // namespace partita::sinks
