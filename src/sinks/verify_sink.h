// Compares what the other end of a sink holds with the table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "sinks/sink_store.h"

namespace partita::sinks {

struct SinkComparison {
  uint64_t items = 0;            // that the other end is to have
  uint64_t documents = 0;        // that it has
  uint64_t different = 0;        // items that are missing there or are otherwise
  std::vector<std::string> ids;  // of some of these
  bool same() const { return different == 0 && items == documents; }
};

// Reads the whole table, and blocks. Items that change meanwhile may be told as different; each is looked at again
// once. Errors: kUnavailable, if the other end does not answer; kInvalid (reason 0), if the sink is not filled.
Task<Result<SinkComparison>> verify_sink(table::TableContext& context, std::string table, std::string name,
                                         FindDestination find);

}  // namespace partita::sinks
