// What an error carries beyond its text: Error::detail() of the faults named here is of the class named here, or null.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace partita::model {

// kConditionFailed: the item as it was, when the request asked for it with ReturnValuesOnConditionCheckFailure.
struct ConditionFailedDetail : ErrorDetail {
  explicit ConditionFailedDetail(std::string stored) : item(std::move(stored)) {}
  std::string item;  // as encode_item() writes it
};

// kTransactionCancelled: one reason for each action of the transaction, in order.
struct TransactionCancelledDetail : ErrorDetail {
  struct Reason {
    std::optional<Error> error;  // absence means that this action was not in the way
  };
  explicit TransactionCancelledDetail(std::vector<Reason> in_order) : reasons(std::move(in_order)) {}
  std::vector<Reason> reasons;
};

}  // namespace partita::model
