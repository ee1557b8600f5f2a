// Rules for ProvisionedThroughput, OnDemandThroughput and WarmThroughput of tables and global indexes. The maxima are
// an account's default quotas.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "table/control/tables.h"

namespace partita::table {

// The owner of the capacity, which faults name.
struct CapacityOf {
  std::string index;  // empty: the table itself
  std::string region;
};

// Checks the range of units. Fault: kUnitsOutOfBounds.
Result<void> check_bounds(const std::optional<api::Units>& units, const CapacityOf& whose);
// Fault: kUnitsAboveMaximum.
Result<void> check_maximum(const std::optional<api::Units>& units, const CapacityOf& whose);

// OnDemandThroughput of a new table. Faults: kLimitsOnProvisioned, kLimitOutOfRange, kCapacityAboveMaximum.
Result<void> check_new_limits(const api::OnDemandLimits& limits, api::BillingMode mode, const CapacityOf& whose);
// Changes each given limit; -1 removes it. Faults: kLimitsOnProvisionedUpdate, kLimitOutOfRange,
// kCapacityAboveMaximum.
Result<void> change_limits(api::OnDemandLimits& limits, const api::OnDemandLimits& wanted, api::BillingMode mode,
                           const CapacityOf& whose);

// The WarmThroughput of a new table or index. Faults: kWarmBelowInitial, kWarmBelowProvisioned, kCapacityAboveMaximum.
Result<WarmThroughput> new_warmth(const api::WarmRequest& wanted, api::BillingMode mode, const Throughput& throughput,
                                  const CapacityOf& whose);
// Faults: kWarmDecreased, kCapacityAboveMaximum.
Result<WarmThroughput> raised_warmth(const WarmThroughput& now, const api::WarmRequest& wanted,
                                     const CapacityOf& whose);

// Starts a change of provisioned units, which ends at `due_ms`. Faults: kThroughputUnchanged,
// kIndexThroughputUnchanged, kUnitsAboveMaximum, kDecreasesLimited.
Result<void> change_units(Throughput& throughput, const api::Units& wanted, const CapacityOf& whose, int64_t now_ms,
                          int64_t due_ms);

}  // namespace partita::table
