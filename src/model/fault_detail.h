// What an error carries beyond its text: for the faults named here, Error::detail() is of the class named here, or
// null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/size.h"

namespace partita::model {

// kConditionFailed: what the write is charged for all the same. Bytes of the larger of the item as it was and, for a
// put, the new one.
struct RefusedWriteDetail : ErrorDetail {
  size_t charged_bytes = 0;
};

// kConditionFailed: the item as it was, if the request asked for it with ReturnValuesOnConditionCheckFailure.
struct ConditionFailedDetail : RefusedWriteDetail {
  explicit ConditionFailedDetail(std::string stored) : item(std::move(stored)) {}
  std::string item;  // as encode_item() writes it
};

// kTransactionCancelled: one reason for each action of the transaction, in order.
struct TransactionCancelledDetail : ErrorDetail {
  struct Reason {
    std::optional<Error> error;  // nullopt: this action did not cause the cancellation
    HalfUnits charged = 0;       // what the action costs if a condition of the transaction was false
  };
  explicit TransactionCancelledDetail(std::vector<Reason> in_order) : reasons(std::move(in_order)) {}
  std::vector<Reason> reasons;
};

// Which throughput of a table or an index was exceeded.
enum class ThroughputLimit : uint8_t {
  kProvisioned,
  kKeyRange,     // of a partition; also of a table on demand: what it has grown to
  kMaxOnDemand,  // its OnDemandThroughput
  kAccount,      // the quota of a table on demand
};
inline constexpr size_t kThroughputLimits = 4;

// kThroughputExceeded and the faults after it: what was exceeded.
struct ThrottledDetail final : ErrorDetail {
  struct Reason {
    ThroughputLimit limit = ThroughputLimit::kProvisioned;
    bool index = false;  // of a global index, else of the table
    bool write = false;
    std::string resource;  // the ARN of the table or the index
  };
  ThrottledDetail(uint32_t wait_ms, Reason why) : retry_after_ms(wait_ms), reason(std::move(why)) {}
  const uint32_t retry_after_ms;  // until a request may be admitted
  const Reason reason;
};
// Null: the error does not say that capacity was exceeded. Valid as long as the error.
inline const ThrottledDetail* throttled_of(const Error& error) {
  return dynamic_cast<const ThrottledDetail*>(error.detail().get());
}

}  // namespace partita::model
