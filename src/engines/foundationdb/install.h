// The location of a store, and its creation.
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

// Creates the store if there is none and `makes`, and deletes the marks of servers that ended long ago. Errors:
// kUnavailable; kInvalid (reason 0) for a store of a newer version, and if there is no store and `makes` is false.
Task<Result<void>> install(const Cluster& cluster, const RowKeys& names, const StoreLocation& place, bool makes,
                           Executor& fallback);

}  // namespace partita::foundationdb
