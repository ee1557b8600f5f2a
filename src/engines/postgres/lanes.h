// What a courier keeps for each connection. Only its own sources include this.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
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
  int64_t lost_at_ms = 0;
  int64_t ask_at_ms = 0;
};

// For how long a request waits for PostgreSQL, an unknown outcome included.
inline constexpr int64_t kPatienceMs = 20'000;
// What a statement is given all the same when its request has waited that long, or nearly, before it is sent.
inline constexpr int64_t kLeastPatienceMs = 2'000;
// Of that a commit leaves so much for asking what became of it.
inline constexpr int64_t kKeptForSettlingMs = 2'000;

// The first of them to run out of patience decides, but not at once: others may have just come.
template <class Kind>
Connection::Patience Courier::patience_for(std::span<Kind* const> errands, int64_t kept_ms) const {
  Connection::Patience patience;
  for (const Kind* const one : errands) patience.until_ms = std::min(patience.until_ms, one->deadline_ms_ - kept_ms);
  patience.until_ms = std::max(patience.until_ms, now_ms_ + kLeastPatienceMs);
  return patience;
}

}  // namespace partita::postgres
