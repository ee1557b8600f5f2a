// What an engine counts whose store is another process, and what it is called for an operator.
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
  Meter retries;   // transactions that others were faster than

  void report(Exposition& out) const;
};

}  // namespace partita::storage
