// Courier: transactions, from waiting to their outcome.
#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "engines/postgres/commit_parameters.h"
#include "engines/postgres/courier.h"
#include "engines/postgres/lanes.h"

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

std::vector<Deal*> Courier::pick_deals() {
  using Turn = Claims::Turn;
  const Claims::Most most{.members = options_.merged, .keys = keys_at_once()};
  return claims_.pick(deals_, most, [this](const Deal& deal) {
    if (deal.not_before_ms_ > now_ms_) return Turn::kLater;
    return deal.alone_ ? Turn::kAlone : Turn::kTogether;
  });
}

// Memory that runs out ends the deals of the lane, with nothing done. (Until they are sent.)
template <class Work>
void Courier::guarded(Lane& lane, Work work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    if (lane.load == nullptr) return;
    for (Deal* const deal : lane.load->deals) deal->transaction.failure = std::current_exception();
    conclude(std::move(lane.load));
  }
}

void Courier::begin_batch(Lane& lane, std::vector<Deal*> deals) {
  lane.load = std::make_unique<Load>();
  lane.load->deals = std::move(deals);
  guarded(lane, [&] {
    Load& load = *lane.load;
    std::vector<Transaction*> members;
    for (Deal* const deal : load.deals) members.push_back(&deal->transaction);
    for (const Deal* const deal : load.deals) claims_.add(deal->transaction);
    load.batch = std::make_unique<Batch>(std::move(members), limits_);
    const std::vector<Batch::Wanted> wanted = load.batch->wanted();
    if (wanted.empty()) return decide_and_commit(lane, nullptr);
    KeyList list;
    for (const Batch::Wanted& one : wanted) list.add(one.key, one.value);
    const Connection::Patience patience = patience_for(std::span<Deal* const>(load.deals), 0);
    lane.connection.send(Statement::kGetMany, std::move(list).parameters(), now_ms_, patience,
                         [this, &lane](Reply&& reply) { looked_up(lane, std::move(reply)); });
  });
}

void Courier::looked_up(Lane& lane, Reply&& reply) {
  if (reply.kind == Reply::Kind::kLost) return put_back(std::move(lane.load), Cause::kLoss);
  if (reply.kind == Reply::Kind::kFailed) return fail(std::move(lane.load), std::move(reply));
  size_t keys = 0;
  for (const Deal* const deal : lane.load->deals) keys += deal->transaction.keys.size();
  if (keys > 0) weigh(keys, reply.rows, 2);
  guarded(lane, [&] { decide_and_commit(lane, &reply.rows); });
}

void Courier::decide_and_commit(Lane& lane, const Rows* rows) {
  Batch& batch = *lane.load->batch;
  for (int row = 0; rows != nullptr && row < rows->size(); ++row) {
    batch.found(static_cast<size_t>(rows->int64(row, 0) - 1), to_version(rows->int64(row, 1)),
                rows->is_null(row, 2) ? std::string_view() : rows->bytes(row, 2));
  }
  const size_t left = batch.evaluate([this] { return draw_version(); }).size();
  std::vector<Deal*>& deals = lane.load->deals;
  const auto first_left = deals.end() - static_cast<ptrdiff_t>(left);
  deals_.insert(deals_.begin(), first_left, deals.end());
  std::for_each(first_left, deals.end(), [this](const Deal* deal) { claims_.remove(deal->transaction); });
  deals.resize(deals.size() - left);
  if (!batch.has_effects()) return conclude(std::move(lane.load));
  Parameters parameters;
  parameters.add_bytes(lane.connection.slot());
  parameters.add_int64(lane.connection.count);
  add_commit(parameters, batch, std::ranges::any_of(deals, &Deal::by_itself_));
  lane.load->sent_at_ms = now_ms_;
  lane.load->sent_at_ns = system_clock().monotonic_ns();
  meters_.groups.add(deals.size());
  const Connection::Patience patience = patience_for(std::span<Deal* const>(deals), kKeptForSettlingMs);
  lane.connection.send(Statement::kCommit, std::move(parameters), now_ms_, patience,
                       [this, &lane](Reply&& reply) { committed(lane, std::move(reply)); });
}

void Courier::committed(Lane& lane, Reply&& reply) {
  if (reply.kind == Reply::Kind::kFailed) {
    const bool elsewhere = reply.fate == Fate::kElsewhere;
    fail(std::move(lane.load), std::move(reply));
    if (elsewhere) lane.connection.lose("PostgreSQL takes no writes there.");
    return;
  }
  if (reply.kind == Reply::Kind::kLost) {
    auto settlement = std::make_unique<Settlement>();
    settlement->load = std::move(lane.load);
    settlement->slot = lane.connection.slot();
    settlement->count = lane.connection.count;
    settlement->lost_at_ms = now_ms_;
    settlements_.push_back(std::move(settlement));
    return;
  }
  PARTITA_CHECK(reply.rows.size() == 1);
  meters_.commits.add(static_cast<uint64_t>(system_clock().monotonic_ns() - lane.load->sent_at_ns));
  switch (static_cast<Verdict>(reply.rows.int32(0, 0))) {
    case Verdict::kCommitted:
      ++lane.connection.count;
      return conclude(std::move(lane.load));
    case Verdict::kChanged:
      if (now_ms_ - lane.load->sent_at_ms >= kLongWaitMs) {
        for (Deal* const deal : lane.load->deals) deal->by_itself_ = true;
      }
      return put_back(std::move(lane.load), Cause::kOthers);
    case Verdict::kFenced:
      put_back(std::move(lane.load), Cause::kElse);
      return lane.connection.lose("The mark of the connection is gone.");
  }
  PARTITA_CHECK(false);
}

// A server that is still at the lost commit is waited for, since it holds the mark; once the mark is fenced off, no
// commit of that connection happens any more.
void Courier::settle() {
  for (size_t left = settlements_.size(); left > 0; --left) {
    std::unique_ptr<Settlement> settlement = std::move(settlements_.front());
    settlements_.pop_front();
    give_up_late(*settlement);
    if (settlement->load->deals.empty()) continue;
    const auto lane = std::ranges::find_if(lanes_, [](const auto& one) {
      return one->connection.state() == Connection::State::kReady && one->connection.outstanding() == 0;
    });
    if (lane == lanes_.end() || now_ms_ < settlement->ask_at_ms) {
      if (lane == lanes_.end()) settlement->ask_at_ms = now_ms_ + kAskAgainMs;
      settlements_.push_back(std::move(settlement));
      continue;
    }
    Parameters parameters;
    parameters.add_bytes(settlement->slot);
    (*lane)->connection.send(Statement::kSettle, std::move(parameters), now_ms_, {.answer_ms = kLeastPatienceMs},
                             [this, shared = std::make_shared<std::unique_ptr<Settlement>>(std::move(settlement))](
                                 Reply&& reply) { settled(std::move(*shared), std::move(reply)); });
  }
}

// Those who have waited too long are told that nobody knows.
void Courier::give_up_late(Settlement& settlement) {
  std::erase_if(settlement.load->deals, [&](Deal* deal) {
    if (now_ms_ < std::max(deal->deadline_ms_, settlement.lost_at_ms + kLeastPatienceMs / 2)) return false;
    claims_.remove(deal->transaction);
    deal->transaction.outcome = Error(ErrorKind::kUnknown,
                                      "The connection to PostgreSQL was lost during a commit, and nobody could be "
                                      "asked what became of it.");
    deal->failure = nullptr;
    finish(*deal);
    return true;
  });
}

void Courier::settled(std::unique_ptr<Settlement> settlement, Reply&& reply) {
  if (reply.kind != Reply::Kind::kRows) {
    settlement->ask_at_ms = now_ms_ + kAskAgainMs;
    settlements_.push_back(std::move(settlement));
    return;
  }
  if (reply.rows.size() == 0) {
    return conclude(std::move(settlement->load),
                    Error(ErrorKind::kUnknown,
                          "The connection to PostgreSQL was lost during a commit, and the mark "
                          "that would tell what became of it is gone."));
  }
  const int64_t count = reply.rows.int64(0, 0);
  if (count > settlement->count) return conclude(std::move(settlement->load));
  put_back(std::move(settlement->load), Cause::kLoss);
}

void Courier::release(const Load& load) {
  for (const Deal* const deal : load.deals) claims_.remove(deal->transaction);
}

// Each has the outcome of its evaluation, or all that error.
void Courier::conclude(std::unique_ptr<Load> load, const std::optional<Error>& error) {
  release(*load);
  for (Deal* const deal : load->deals) {
    if (error) deal->transaction.outcome = *error;
    deal->failure = error ? nullptr : deal->transaction.failure;
    finish(*deal);
  }
}

// The error, when it has been tried often enough.
std::optional<Error> Courier::count(Deal& deal, Cause cause) const {
  if (cause == Cause::kLoss) return count_loss(deal);
  if (cause != Cause::kOthers) return std::nullopt;
  if (++deal.attempts_ >= kMostAttempts) {
    return Error(ErrorKind::kConflict, "Others changed the same records too often while this one was tried.");
  }
  if (deal.attempts_ > kEagerAttempts) {
    const auto most = static_cast<uint64_t>(std::min<int64_t>(deal.attempts_, kMostPauseMs));
    deal.not_before_ms_ = now_ms_ + 1 + static_cast<int64_t>(system_random().below(most));
  }
  return std::nullopt;
}

// To the front of the queue.
void Courier::put_back(std::unique_ptr<Load> load, Cause cause) {
  release(*load);
  if (cause == Cause::kOthers) meters_.retries.add(load->deals.size());
  std::vector<Deal*> again;
  for (Deal* const deal : load->deals) {
    if (std::optional<Error> error = count(*deal, cause)) {
      deal->transaction.outcome = std::move(*error);
      finish(*deal);
    } else {
      again.push_back(deal);
    }
  }
  deals_.insert(deals_.begin(), again.begin(), again.end());
}

// Nothing was done. What failed in company is tried alone, since it may be due to one of them.
void Courier::fail(std::unique_ptr<Load> load, Reply&& reply) {
  if (reply.fate != Fate::kFailed) {
    return put_back(std::move(load), reply.fate == Fate::kAgain ? Cause::kOthers : Cause::kLoss);
  }
  if (reply.exhausted) {
    refused_at_ms_ = now_ms_;
    refusal_ = reply.error.sentence();
  }
  if (load->deals.size() == 1) return conclude(std::move(load), std::move(reply.error));
  for (Deal* const deal : load->deals) deal->alone_ = true;
  put_back(std::move(load), Cause::kElse);
}

}  // namespace partita::postgres
