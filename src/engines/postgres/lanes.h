// What a courier keeps for each connection. Only its own sources include this.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/postgres/request_pipeline.h"

namespace partita::postgres {

// Deals on their way together.
struct RequestPipeline::InFlightBatch {
  std::vector<PendingTxn*> txns;
  std::unique_ptr<storage::Batch> batch;
  int64_t sent_at_ms = 0;  // its commit
  int64_t sent_at_ns = 0;
};

struct RequestPipeline::Lane {
  Lane(const ConnInfo& conn_info, bool is_marked, std::function<void()> wake)
      : connection(conn_info, is_marked, std::move(wake)), marked(is_marked) {}
  PgConnection connection;
  const bool marked;  // it commits
  int64_t open_at_ms = 0;
  int64_t backoff_ms = 0;
  std::unique_ptr<InFlightBatch> in_flight;  // under way on it
};

// A commit whose answer did not come.
struct RequestPipeline::InDoubtCommit {
  std::unique_ptr<InFlightBatch> in_flight;
  std::string slot;
  int64_t count = 0;  // of the mark, without the commit
  int64_t lost_at_ms = 0;
  int64_t ask_at_ms = 0;
};

// For how long a request waits for PostgreSQL, an unknown outcome included.
inline constexpr int64_t kRequestTimeoutMs = 20'000;
// What a statement is given all the same when its request has waited that long, or nearly, before it is sent.
inline constexpr int64_t kLeastTimeoutMs = 2'000;
// Of that a commit leaves so much for asking what became of it.
inline constexpr int64_t kReservedForResolvingMs = 2'000;

// The first of them to run out of patience decides, but not at once: others may have just come.
template <class Kind>
PgConnection::Timeouts RequestPipeline::timeouts_for(std::span<Kind* const> requests, int64_t kept_ms) const {
  PgConnection::Timeouts timeouts;
  for (const Kind* const one : requests) timeouts.until_ms = std::min(timeouts.until_ms, one->deadline_ms_ - kept_ms);
  timeouts.until_ms = std::max(timeouts.until_ms, now_ms_ + kLeastTimeoutMs);
  return timeouts;
}

}  // namespace partita::postgres
