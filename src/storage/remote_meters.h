// Metrics of an engine whose store is another process.
#pragma once

#include "base/meter.h"

namespace partita {
class Exposition;
}

namespace partita::storage {

// Callable from any thread.
struct RemoteMeters {
  Timing reads;    // from the call to its answer
  Timing commits;  // of a batch: from sending it to its answer
  Sizes groups;    // transactions in one
  Meter retries;   // transactions that lost a conflict

  void report(Exposition& out) const;
};

}  // namespace partita::storage
