// transact() of the contract: latch, look, decide, queue, wait.
#pragma once

#include <vector>

#include "base/task.h"
#include "base/workers.h"
#include "engines/rocksdb/committer.h"
#include "engines/rocksdb/latches.h"
#include "engines/rocksdb/record_cache.h"
#include "engines/rocksdb/store.h"
#include "storage/engine.h"

namespace partita::rocks {

// What all transactions share. Outlives them.
struct TransactionContext {
  const Store& store;
  Latches& latches;
  RecordCache& cached;
  Workers& workers;
  Committer& committer;
  Meters& meters;
};

Task<Result<storage::Outcome>> transact(TransactionContext context, std::vector<storage::Key> keys,
                                        std::vector<storage::Compare> compare, storage::Decide decide,
                                        storage::Version* version);

}  // namespace partita::rocks
