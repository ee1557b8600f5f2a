// What RequestPipeline keeps for each connection, and how long it waits. For the pipeline's thread alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engines/postgres/connection.h"
#include "engines/postgres/requests.h"
#include "storage/batch.h"

namespace partita::postgres {

// Transactions that commit together.
struct InFlightBatch {
  std::vector<PendingTxn*> txns;
  std::unique_ptr<storage::Batch> batch;
  int64_t sent_at_ms = 0;  // the commit
  int64_t sent_at_ns = 0;
};

struct Lane {
  Lane(const ConnInfo& conn_info, bool is_marked, std::function<void()> wake)
      : connection(conn_info, is_marked, std::move(wake)), marked(is_marked) {}
  PgConnection connection;
  const bool marked;          // it commits
  bool holds_suspect = false;  // what it sent last is tried by itself (requests.h)
  int64_t open_at_ms = 0;
  int64_t backoff_ms = 0;
  std::unique_ptr<InFlightBatch> in_flight;
};

// A commit whose answer was lost with its connection.
struct InDoubtCommit {
  std::unique_ptr<InFlightBatch> in_flight;
  std::string slot;
  int64_t count = 0;  // of the mark, without this commit
  int64_t lost_at_ms = 0;
  int64_t ask_at_ms = 0;
};

// How long a request waits for PostgreSQL, the resolution of an unknown outcome included.
inline constexpr int64_t kRequestTimeoutMs = 20'000;
// What a statement gets at least, even if its request has waited that long before it is sent.
inline constexpr int64_t kLeastTimeoutMs = 2'000;
// What a commit leaves of that time for asking about its outcome.
inline constexpr int64_t kReservedForResolvingMs = 2'000;

}  // namespace partita::postgres
