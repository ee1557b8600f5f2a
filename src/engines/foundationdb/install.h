// Where a store is, and how it begins.
#pragma once

#include <string>

#include "base/executor.h"
#include "base/result.h"
#include "base/task.h"
#include "engines/foundationdb/attempt.h"
#include "engines/foundationdb/rows.h"

namespace partita::foundationdb {

struct StoreLocation {
  std::string cluster_file;
  std::string prefix = "partita";
  // Error: kInvalid (reason 0), one sentence.
  static Result<StoreLocation> parse(const std::string& place);
};

// Makes the store where there is none and it `makes` stores, and forgets the marks of servers that are long gone.
// Errors: kUnavailable; kInvalid (reason 0) for a store that a newer version made, and for none that is not to be made.
Task<Result<void>> install(const Cluster& cluster, const RowNames& names, const StoreLocation& place, bool makes,
                           Executor& fallback);

}  // namespace partita::foundationdb
