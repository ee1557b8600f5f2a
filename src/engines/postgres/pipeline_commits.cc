// RequestPipeline: transactions, from waiting to their outcome.
#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "engines/postgres/commit_parameters.h"
#include "engines/postgres/lanes.h"
#include "engines/postgres/request_pipeline.h"

namespace partita::postgres {

using namespace storage;

namespace {

constexpr int kMostAttempts = 200;
// The first times it is tried again at once: most often the others are done by then.
constexpr int kEagerAttempts = 3;
constexpr int64_t kMostPauseMs = 50;
constexpr int64_t kAskAgainMs = 50;
// Less than the lock_timeout of a session.
constexpr int64_t kLongWaitMs = 500;

}  // namespace

std::vector<PendingTxn*> RequestPipeline::pick_txns() {
  using Turn = InFlightKeys::Eligibility;
  const InFlightKeys::GroupLimits most{.members = options_.merged, .keys = keys_at_once()};
  return in_flight_keys_.pick(txns_, most, [this](const PendingTxn& txn) {
    if (txn.not_before_ms_ > now_ms_) return Turn::kNotYet;
    return txn.alone_ ? Turn::kAlone : Turn::kGrouped;
  });
}

// Memory that runs out ends the deals of the lane, with nothing done. (Until they are sent.)
template <class Work>
void RequestPipeline::guarded(Lane& lane, Work work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    if (lane.in_flight == nullptr) return;
    for (PendingTxn* const txn : lane.in_flight->txns) txn->transaction.failure = std::current_exception();
    complete(std::move(lane.in_flight));
  }
}

void RequestPipeline::begin_batch(Lane& lane, std::vector<PendingTxn*> txns) {
  lane.in_flight = std::make_unique<InFlightBatch>();
  lane.in_flight->txns = std::move(txns);
  guarded(lane, [&] {
    InFlightBatch& in_flight = *lane.in_flight;
    std::vector<Transaction*> members;
    for (PendingTxn* const txn : in_flight.txns) members.push_back(&txn->transaction);
    for (const PendingTxn* const txn : in_flight.txns) in_flight_keys_.add(txn->transaction);
    in_flight.batch = std::make_unique<Batch>(std::move(members), limits_);
    const std::vector<Batch::Wanted> wanted = in_flight.batch->wanted();
    if (wanted.empty()) return decide_and_commit(lane, nullptr);
    KeyList list;
    for (const Batch::Wanted& one : wanted) list.add(one.key, one.value);
    const PgConnection::Timeouts timeouts = timeouts_for(std::span<PendingTxn* const>(in_flight.txns), 0);
    lane.connection.send(PreparedStatement::kGetMany, std::move(list).parameters(), now_ms_, timeouts,
                         [this, &lane](StatementResult&& result) { looked_up(lane, std::move(result)); });
  });
}

void RequestPipeline::looked_up(Lane& lane, StatementResult&& result) {
  if (result.kind == StatementResult::Kind::kLost) return requeue(std::move(lane.in_flight), Cause::kLoss);
  if (result.kind == StatementResult::Kind::kFailed) return fail(std::move(lane.in_flight), std::move(result));
  size_t keys = 0;
  for (const PendingTxn* const txn : lane.in_flight->txns) keys += txn->transaction.keys.size();
  if (keys > 0) measure_reply(keys, result.rows, 2);
  guarded(lane, [&] { decide_and_commit(lane, &result.rows); });
}

void RequestPipeline::decide_and_commit(Lane& lane, const Rows* rows) {
  Batch& batch = *lane.in_flight->batch;
  for (int row = 0; rows != nullptr && row < rows->size(); ++row) {
    batch.found(static_cast<size_t>(rows->int64(row, 0) - 1), to_version(rows->int64(row, 1)),
                rows->is_null(row, 2) ? std::string_view() : rows->bytes(row, 2));
  }
  const size_t left = batch.evaluate([this] { return draw_version(); }).size();
  std::vector<PendingTxn*>& txns = lane.in_flight->txns;
  const auto first_left = txns.end() - static_cast<ptrdiff_t>(left);
  txns_.insert(txns_.begin(), first_left, txns.end());
  std::for_each(first_left, txns.end(), [this](const PendingTxn* txn) { in_flight_keys_.remove(txn->transaction); });
  txns.resize(txns.size() - left);
  if (!batch.has_effects()) return complete(std::move(lane.in_flight));
  Parameters parameters;
  parameters.add_bytes(lane.connection.slot());
  parameters.add_int64(lane.connection.count);
  add_commit(parameters, batch, std::ranges::any_of(txns, &PendingTxn::by_itself_));
  lane.in_flight->sent_at_ms = now_ms_;
  lane.in_flight->sent_at_ns = system_clock().monotonic_ns();
  meters_.groups.add(txns.size());
  const PgConnection::Timeouts timeouts = timeouts_for(std::span<PendingTxn* const>(txns), kReservedForResolvingMs);
  lane.connection.send(PreparedStatement::kCommit, std::move(parameters), now_ms_, timeouts,
                       [this, &lane](StatementResult&& result) { committed(lane, std::move(result)); });
}

void RequestPipeline::committed(Lane& lane, StatementResult&& result) {
  if (result.kind == StatementResult::Kind::kFailed) {
    const bool elsewhere = result.error_class == ErrorClass::kRetryElsewhere;
    fail(std::move(lane.in_flight), std::move(result));
    if (elsewhere) lane.connection.lose("PostgreSQL takes no writes there.");
    return;
  }
  if (result.kind == StatementResult::Kind::kLost) {
    auto in_doubt = std::make_unique<InDoubtCommit>();
    in_doubt->in_flight = std::move(lane.in_flight);
    in_doubt->slot = lane.connection.slot();
    in_doubt->count = lane.connection.count;
    in_doubt->lost_at_ms = now_ms_;
    in_doubt_.push_back(std::move(in_doubt));
    return;
  }
  PARTITA_CHECK(result.rows.size() == 1);
  meters_.commits.add(static_cast<uint64_t>(system_clock().monotonic_ns() - lane.in_flight->sent_at_ns));
  switch (static_cast<CommitStatus>(result.rows.int32(0, 0))) {
    case CommitStatus::kCommitted:
      ++lane.connection.count;
      return complete(std::move(lane.in_flight));
    case CommitStatus::kChanged:
      if (now_ms_ - lane.in_flight->sent_at_ms >= kLongWaitMs) {
        for (PendingTxn* const txn : lane.in_flight->txns) txn->by_itself_ = true;
      }
      return requeue(std::move(lane.in_flight), Cause::kOthers);
    case CommitStatus::kFenced:
      requeue(std::move(lane.in_flight), Cause::kElse);
      return lane.connection.lose("The mark of the connection is gone.");
  }
  PARTITA_CHECK(false);
}

// A server that is still at the lost commit is waited for, since it holds the mark; once the mark is fenced off, no
// commit of that connection happens any more.
void RequestPipeline::resolve_in_doubt() {
  for (size_t left = in_doubt_.size(); left > 0; --left) {
    std::unique_ptr<InDoubtCommit> in_doubt = std::move(in_doubt_.front());
    in_doubt_.pop_front();
    expire_in_doubt(*in_doubt);
    if (in_doubt->in_flight->txns.empty()) continue;
    const auto lane = std::ranges::find_if(lanes_, [](const auto& one) {
      return one->connection.state() == PgConnection::State::kReady && one->connection.outstanding() == 0;
    });
    if (lane == lanes_.end() || now_ms_ < in_doubt->ask_at_ms) {
      if (lane == lanes_.end()) in_doubt->ask_at_ms = now_ms_ + kAskAgainMs;
      in_doubt_.push_back(std::move(in_doubt));
      continue;
    }
    Parameters parameters;
    parameters.add_bytes(in_doubt->slot);
    (*lane)->connection.send(PreparedStatement::kResolve, std::move(parameters), now_ms_,
                             {.answer_ms = kLeastTimeoutMs},
                             [this, shared = std::make_shared<std::unique_ptr<InDoubtCommit>>(std::move(in_doubt))](
                                 StatementResult&& result) { resolved(std::move(*shared), std::move(result)); });
  }
}

// Those who have waited too long are told that nobody knows.
void RequestPipeline::expire_in_doubt(InDoubtCommit& in_doubt) {
  std::erase_if(in_doubt.in_flight->txns, [&](PendingTxn* txn) {
    if (now_ms_ < std::max(txn->deadline_ms_, in_doubt.lost_at_ms + kLeastTimeoutMs / 2)) return false;
    in_flight_keys_.remove(txn->transaction);
    txn->transaction.outcome = Error(ErrorKind::kUnknown,
                                     "The connection to PostgreSQL was lost during a commit, and nobody could be "
                                     "asked what became of it.");
    txn->failure = nullptr;
    finish(*txn);
    return true;
  });
}

void RequestPipeline::resolved(std::unique_ptr<InDoubtCommit> in_doubt, StatementResult&& result) {
  if (result.kind != StatementResult::Kind::kRows) {
    in_doubt->ask_at_ms = now_ms_ + kAskAgainMs;
    in_doubt_.push_back(std::move(in_doubt));
    return;
  }
  if (result.rows.size() == 0) {
    return complete(std::move(in_doubt->in_flight),
                    Error(ErrorKind::kUnknown,
                          "The connection to PostgreSQL was lost during a commit, and the mark "
                          "that would tell what became of it is gone."));
  }
  const int64_t count = result.rows.int64(0, 0);
  if (count > in_doubt->count) return complete(std::move(in_doubt->in_flight));
  requeue(std::move(in_doubt->in_flight), Cause::kLoss);
}

void RequestPipeline::release(const InFlightBatch& in_flight) {
  for (const PendingTxn* const txn : in_flight.txns) in_flight_keys_.remove(txn->transaction);
}

// Each has the outcome of its evaluation, or all that error.
void RequestPipeline::complete(std::unique_ptr<InFlightBatch> in_flight, const std::optional<Error>& error) {
  release(*in_flight);
  for (PendingTxn* const txn : in_flight->txns) {
    if (error) txn->transaction.outcome = *error;
    txn->failure = error ? nullptr : txn->transaction.failure;
    finish(*txn);
  }
}

// The error, when it has been tried often enough.
std::optional<Error> RequestPipeline::count(PendingTxn& txn, Cause cause) const {
  if (cause == Cause::kLoss) return count_loss(txn);
  if (cause != Cause::kOthers) return std::nullopt;
  if (++txn.attempts_ >= kMostAttempts) {
    return Error(ErrorKind::kConflict, "Others changed the same records too often while this one was tried.");
  }
  if (txn.attempts_ > kEagerAttempts) {
    const auto most = static_cast<uint64_t>(std::min<int64_t>(txn.attempts_, kMostPauseMs));
    txn.not_before_ms_ = now_ms_ + 1 + static_cast<int64_t>(system_random().below(most));
  }
  return std::nullopt;
}

// To the front of the queue.
void RequestPipeline::requeue(std::unique_ptr<InFlightBatch> in_flight, Cause cause) {
  release(*in_flight);
  if (cause == Cause::kOthers) meters_.retries.add(in_flight->txns.size());
  std::vector<PendingTxn*> again;
  for (PendingTxn* const txn : in_flight->txns) {
    if (std::optional<Error> error = count(*txn, cause)) {
      txn->transaction.outcome = std::move(*error);
      finish(*txn);
    } else {
      again.push_back(txn);
    }
  }
  txns_.insert(txns_.begin(), again.begin(), again.end());
}

// Nothing was done. After a failed group each is tried alone, since one may be the cause.
void RequestPipeline::fail(std::unique_ptr<InFlightBatch> in_flight, StatementResult&& result) {
  if (result.error_class != ErrorClass::kFailed) {
    return requeue(std::move(in_flight), result.error_class == ErrorClass::kRetry ? Cause::kOthers : Cause::kLoss);
  }
  if (result.exhausted) {
    refused_at_ms_ = now_ms_;
    refusal_ = result.error.sentence();
  }
  if (in_flight->txns.size() == 1) return complete(std::move(in_flight), std::move(result.error));
  for (PendingTxn* const txn : in_flight->txns) txn->alone_ = true;
  requeue(std::move(in_flight), Cause::kElse);
}

}  // namespace partita::postgres
