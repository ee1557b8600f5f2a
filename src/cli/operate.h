// `partita heat`, `snapshot`, `clock` and `namespace`: operations of a running server.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace partita::cli {

struct OperateOptions {
  std::string operation;  // of admin/operator_calls.h
  std::string subject;    // the name, table or offset that the verb takes, or empty
  std::string space;      // the namespace; empty: the default database
  std::string server;     // its directory or its socket
  int64_t offset_s = 0;   // of MoveClock
};

// Prints the answer. Errors, one sentence each: kUnavailable, and what the server refuses.
Result<void> operate(const OperateOptions& options);

}  // namespace partita::cli
