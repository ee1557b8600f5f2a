// Engine::transact(): latch the keys, read, decide, queue the writes, wait until they are durable.
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

// The parts of the engine that a transaction uses. They outlive it.
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
