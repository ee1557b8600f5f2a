// Linked into every test and fuzzer: what a server tells its operator would bury what they have to say.
#include "base/log.h"

namespace {
const bool quiet = [] {
  partita::set_log_level(partita::LogLevel::kError);
  return true;
}();
}  // namespace
