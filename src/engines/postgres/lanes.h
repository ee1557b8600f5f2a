// What a courier keeps for each connection. Only its own sources include this.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/postgres/courier.h"

namespace partita::postgres {

// Deals on their way together.
struct Courier::Load {
  std::vector<Deal*> deals;
  std::unique_ptr<storage::Batch> batch;
  int64_t sent_at_ms = 0;  // its commit
  int64_t sent_at_ns = 0;
};

struct Courier::Lane {
  Lane(const Target& target, bool is_marked, std::function<void()> wake)
      : connection(target, is_marked, std::move(wake)), marked(is_marked) {}
  Connection connection;
  const bool marked;  // it commits
  int64_t open_at_ms = 0;
  int64_t backoff_ms = 0;
  std::unique_ptr<Load> load;  // under way on it
};

// A commit whose answer did not come.
struct Courier::Settlement {
  std::unique_ptr<Load> load;
  std::string slot;
  int64_t count = 0;  // of the mark, without the commit
  int64_t give_up_at_ms = 0;
  int64_t ask_at_ms = 0;
};

// For how long what waits is kept while there is no connection, and an unknown outcome is looked for.
inline constexpr int64_t kPatienceMs = 20'000;

}  // namespace partita::postgres
