// What DynamoDB says of ProvisionedThroughput, OnDemandThroughput and WarmThroughput, of a table and of its global
// indexes. The maxima are those of an account whose quotas were never raised.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "table/control/tables.h"

namespace partita::table {

// Whose capacity it is: faults name it.
struct CapacityOf {
  std::string index;  // empty: the table itself
  std::string region;
};

// Beyond what a number of units may be at all. Fault: kUnitsOutOfBounds.
Result<void> check_bounds(const std::optional<Units>& units, const CapacityOf& whose);
// Fault: kUnitsAboveMaximum.
Result<void> check_maximum(const std::optional<Units>& units, const CapacityOf& whose);

// OnDemandThroughput when the table is made. Faults: kLimitsOnProvisioned, kLimitOutOfRange, kCapacityAboveMaximum.
Result<void> check_new_limits(const OnDemandLimits& limits, BillingMode mode, const CapacityOf& whose);
// Member by member; -1 takes a limit away. Faults: kLimitsOnProvisionedUpdate, kLimitOutOfRange,
// kCapacityAboveMaximum.
Result<void> change_limits(OnDemandLimits& limits, const OnDemandLimits& wanted, BillingMode mode,
                           const CapacityOf& whose, int64_t due_ms);

// What a new table or index starts with. Faults: kWarmBelowInitial, kWarmBelowProvisioned, kCapacityAboveMaximum.
Result<WarmThroughput> new_warmth(const WarmRequest& wanted, BillingMode mode, const Throughput& throughput,
                                  const CapacityOf& whose);
// Faults: kWarmDecreased, kCapacityAboveMaximum.
Result<WarmThroughput> raised_warmth(const WarmThroughput& now, const WarmRequest& wanted, const CapacityOf& whose);

// Begins a change of provisioned units, which is done at `due_ms`. Faults: kThroughputUnchanged,
// kIndexThroughputUnchanged, kUnitsAboveMaximum, kDecreasesLimited.
Result<void> change_units(Throughput& throughput, const Units& wanted, const CapacityOf& whose, int64_t now_ms,
                          int64_t due_ms);

}  // namespace partita::table
