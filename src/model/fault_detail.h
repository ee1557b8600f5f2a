// What an error carries beyond its text: Error::detail() of the faults named here is of the class named here, or null.
#pragma once

#include <optional>
#include <vector>

#include "base/error.h"
#include "model/value.h"

namespace partita::model {

// kConditionFailed: the item as it was, when the request asked for it with ReturnValuesOnConditionCheckFailure.
struct ConditionFailedDetail : ErrorDetail {
  explicit ConditionFailedDetail(Item old_item) : item(std::move(old_item)) {}
  Item item;
};

// kTransactionCancelled: one reason for each action of the transaction, in order.
struct TransactionCancelledDetail : ErrorDetail {
  struct Reason {
    std::optional<Error> error;  // absence means that this action was not in the way
    std::optional<Item> item;    // as in ConditionFailedDetail
  };
  explicit TransactionCancelledDetail(std::vector<Reason> in_order) : reasons(std::move(in_order)) {}
  std::vector<Reason> reasons;
};

}  // namespace partita::model
