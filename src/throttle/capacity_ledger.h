// Shares the capacity of a database's tables with the other servers of its store, by the rules of ledger.h: a look at
// the ledger's rows twice a second, one read and at most one write each, in the background. A request only meets
// buckets.
//
// One server alone reads one row. Until a server that joins others has its share, it admits nothing where capacity is
// enforced, and it is not ready until then. Nothing is written for a namespace without tables; its share is there
// within about 40 ms after its first CreateTable, before the table is ACTIVE.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/task.h"
#include "table/catalog/table_context.h"
#include "throttle/capacity_limits.h"

namespace partita::throttle {

class CapacityLedger {
 public:
  // Looks once, and then in the context's background. `space`: the namespace, or empty. The context outlives this.
  // Blocks: if the capacity of any table is enforced, until this server has its share, or for three seconds.
  CapacityLedger(table::TableContext& context, std::shared_ptr<CapacityLimits> limits, std::string space);
  CapacityLedger(const CapacityLedger&) = delete;
  CapacityLedger& operator=(const CapacityLedger&) = delete;
  // Gives up the share. Blocks.
  ~CapacityLedger();

 private:
  class State;
  static Task<void> watch(std::shared_ptr<State> state, int64_t pause_ns);

  const std::shared_ptr<State> state_;
};

}  // namespace partita::throttle
