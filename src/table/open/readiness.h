// Whether the store answers and takes writes, checked by writing on demand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/task.h"
#include "table/catalog/table_context.h"

namespace partita::table {

struct ReadinessOptions {
  int64_t fresh_ms = 1'000;     // for how long a result is reused
  int64_t patience_ms = 2'000;  // a store that takes longer for a small write is not ready
};

// Callable from any thread.
class Readiness {
 public:
  explicit Readiness(Random& random, ReadinessOptions options = {});

  // Empty: ready. Else why not, one sentence for an operator. Writes a row of 8 KiB, of no meaning, when the last such
  // write is not fresh, and waits for it; no thread is kept meanwhile. Once for each turn the log says it too.
  // The database, of one and the same store each time, lives until the task has ended.
  Task<std::string> trouble(TableContext& context);

 private:
  struct State;
  Task<std::string> judge(TableContext& context);
  static Task<void> probe(std::shared_ptr<State> state, storage::Engine* engine, storage::Key row);
  static Task<void> lose_patience(std::shared_ptr<State> state, Background* background, int64_t ms, uint64_t probe);

  const ReadinessOptions options_;
  const storage::Key row_;        // one of 256: servers seldom wait for each other
  std::shared_ptr<State> state_;  // of a write too that is still under way when this is gone
};

}  // namespace partita::table
