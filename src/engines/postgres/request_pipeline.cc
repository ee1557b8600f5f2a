#include "engines/postgres/request_pipeline.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/priority.h"
#include "base/random.h"
#include "engines/postgres/lanes.h"

namespace partita::postgres {

using namespace storage;

namespace {

constexpr int64_t kFirstBackoffMs = 20;
constexpr int64_t kMostBackoffMs = 1'000;
// What may be the cause itself (it makes a server end) is tried by itself after a few times, and not for ever.
constexpr int kMostLosses = 16;
constexpr int kLossesInGroup = 2;
// Statements on one connection whose answers have not come: so that the next is there when one is done.
constexpr size_t kPipelined = 4;
constexpr size_t kMostLookedUp = 1'024;
// About what one statement may bring back: all of it is in memory at once.
constexpr size_t kMostBytesBack = size_t{4} << 20;
constexpr int64_t kUnhealthyAfterMs = 1'000;
// How long a refused commit speaks against the store.
constexpr int64_t kRefusalCountsMs = 5'000;
constexpr int64_t kExpireLateEveryMs = 100;
// Of work that no request waits for, whose statements may take long.
constexpr int64_t kMaintenanceTimeoutMs = 60'000;

bool is_maintenance(PreparedStatement statement) {
  using enum PreparedStatement;
  return statement == kErase || statement == kTrim || statement == kForget || statement == kRestoreLog;
}

int64_t clock_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

void PipelineRequest::await_suspend(std::coroutine_handle<> handle) {
  suspend(handle);
  if (kind_ != Kind::kTxn) asked_at_ns_ = system_clock().monotonic_ns();
  pipeline_.take(*this);
}

RequestPipeline::RequestPipeline(ConnInfo conn_info, const PostgresOptions& options, const Limits& limits)
    : conn_info_(std::move(conn_info)), options_(options), limits_(limits), versions_(system_random().next()) {
  for (size_t i = 0; i < options_.writers + options_.readers; ++i) {
    lanes_.push_back(std::make_unique<Lane>(conn_info_, i < options_.writers, [this] { wakeup_.wake(); }));
  }
}

Result<void> RequestPipeline::start() {
  PARTITA_TRY(wakeup_, PollWakeup::open());
  PARTITA_TRY(thread_, Thread::start("pg-pipeline", [this](const std::stop_token&) { run(); }));
  // Each connection is made on one more.
  PARTITA_TRY_VOID(Thread::start("pg-connect", [](const std::stop_token&) {}));
  return {};
}

RequestPipeline::~RequestPipeline() {
  {
    const MutexLock lock(mutex_);
    PARTITA_CHECK(incoming_.empty());
    stopping_ = true;
  }
  if (thread_.joinable()) {
    wakeup_.wake();
    thread_.join();
  }
  lanes_.clear();
}

void RequestPipeline::take(PipelineRequest& request) {
  const MutexLock lock(mutex_);
  incoming_.push_back(&request);
  if (std::exchange(asleep_, false)) wakeup_.wake();
}

Result<void> RequestPipeline::health() const {
  const MutexLock lock(mutex_);
  if (last_error_.empty()) return {};
  return Error(ErrorKind::kUnavailable, last_error_);
}

// splitmix64 meets no number twice, and two servers begin at random.
Version RequestPipeline::draw_version() { return Version{splitmix64(versions_)}; }

void RequestPipeline::run() {
  raise_thread_priority();
  for (;;) {
    now_ms_ = clock_ms();
    take_incoming();
    maintain_connections();
    resolve_in_doubt();
    dispatch();
    expire_late();
    flush_finished();
    {
      const MutexLock lock(mutex_);
      if (stopping_) return;
    }
    sleep();
  }
}

void RequestPipeline::take_incoming() {
  std::vector<PipelineRequest*> incoming;
  {
    const MutexLock lock(mutex_);
    asleep_ = false;
    incoming.swap(incoming_);
  }
  for (PipelineRequest* const request : incoming) {
    request->deadline_ms_ = now_ms_ + kRequestTimeoutMs;
    if (request->kind_ == PipelineRequest::Kind::kStatement) statements_.push_back(static_cast<SqlRequest*>(request));
    if (request->kind_ == PipelineRequest::Kind::kStatement &&
        is_maintenance(static_cast<SqlRequest*>(request)->statement_)) {
      request->deadline_ms_ = now_ms_ + kMaintenanceTimeoutMs;
    }
    if (request->kind_ == PipelineRequest::Kind::kLookup) lookups_.push_back(static_cast<LookupRequest*>(request));
    if (request->kind_ == PipelineRequest::Kind::kTxn) txns_.push_back(static_cast<PendingTxn*>(request));
  }
}

int64_t RequestPipeline::next_due() const {
  int64_t due = INT64_MAX;
  for (const auto& lane : lanes_) {
    due = std::min(due, lane->connection.due_ms());
    if (lane->connection.state() == PgConnection::State::kDown) due = std::min(due, lane->open_at_ms);
  }
  for (const PendingTxn* const txn : txns_) {
    if (txn->not_before_ms_ > now_ms_) due = std::min(due, txn->not_before_ms_);
  }
  for (const auto& in_doubt : in_doubt_) due = std::min(due, in_doubt->ask_at_ms);
  for (const bool marked : {false, true}) {
    if (down_since_ms_[marked] == 0) continue;
    due = std::min(due, now_ms_ + kUnhealthyAfterMs);
  }
  const bool waits = !txns_.empty() || !lookups_.empty() || !statements_.empty() || !in_doubt_.empty();
  if (waits) due = std::min(due, expire_late_at_ms_);
  if (refused_at_ms_ != 0) due = std::min(due, refused_at_ms_ + kRefusalCountsMs);
  return due;
}

void RequestPipeline::sleep() {
  std::vector<pollfd> sockets{{wakeup_.descriptor(), POLLIN, 0}};
  for (const auto& lane : lanes_) sockets.push_back({lane->connection.socket(), lane->connection.events(), 0});
  const int64_t due = next_due();
  int64_t timeout_ms = due == INT64_MAX ? -1 : std::max<int64_t>(0, due - now_ms_);
  {
    const MutexLock lock(mutex_);
    if (!incoming_.empty() || stopping_) timeout_ms = 0;
    asleep_ = timeout_ms != 0;
  }
  poll(sockets.data(), static_cast<nfds_t>(sockets.size()), static_cast<int>(std::min<int64_t>(timeout_ms, 60'000)));
  if (sockets[0].revents != 0) wakeup_.clear();
  now_ms_ = clock_ms();
  for (size_t i = 0; i < lanes_.size(); ++i) {
    PgConnection& connection = lanes_[i]->connection;
    const short events = sockets[i + 1].revents;
    if (events != 0 || connection.is_due(now_ms_)) connection.progress(now_ms_, (events & POLLOUT) != 0);
  }
}

bool RequestPipeline::is_up(bool marked) const {
  return std::ranges::any_of(lanes_, [marked](const auto& lane) {
    return lane->marked == marked && lane->connection.state() == PgConnection::State::kReady;
  });
}

void RequestPipeline::maintain_connections() {
  for (const auto& lane : lanes_) {
    PgConnection& connection = lane->connection;
    if (connection.state() == PgConnection::State::kReady) lane->backoff_ms = 0;
    if (connection.state() != PgConnection::State::kDown || now_ms_ < lane->open_at_ms) continue;
    lane->backoff_ms = std::clamp(lane->backoff_ms * 2, kFirstBackoffMs, kMostBackoffMs);
    lane->open_at_ms = now_ms_ + lane->backoff_ms;
    connection.open();
  }
  std::string last_error = find_last_error();
  const MutexLock lock(mutex_);
  if (last_error.empty() == last_error_.empty()) return;
  last_error_ = std::move(last_error);
  log(last_error_.empty() ? LogLevel::kInfo : LogLevel::kError,
      last_error_.empty() ? "PostgreSQL takes requests again." : last_error_);
}

// Either kind of connections may be missing without the other: PostgreSQL has a limit of them.
std::string RequestPipeline::find_last_error() {
  std::string last_error;
  for (const auto& lane : lanes_) {
    int64_t& since = down_since_ms_[lane->marked];
    if (is_up(lane->marked))
      since = 0;
    else if (since == 0)
      since = now_ms_;
    if (since == 0 || now_ms_ - since < kUnhealthyAfterMs || !last_error.empty()) continue;
    last_error = "There is no connection to PostgreSQL. " + lane->connection.last_error();
  }
  if (refused_at_ms_ != 0 && now_ms_ - refused_at_ms_ >= kRefusalCountsMs) refused_at_ms_ = 0;
  if (last_error.empty() && refused_at_ms_ != 0) last_error = "PostgreSQL refuses writes. " + refusal_;
  return last_error;
}

bool RequestPipeline::is_given_up(bool marked) const {
  return down_since_ms_[marked] != 0 && now_ms_ - down_since_ms_[marked] >= kRequestTimeoutMs;
}

template <class Kind>
void RequestPipeline::expire_late(std::deque<Kind*>& waiting, bool all, const Error& error) {
  std::erase_if(waiting, [&](Kind* one) {
    if (!all && now_ms_ < one->deadline_ms_) return false;
    if constexpr (std::is_same_v<Kind, PendingTxn>) {
      one->transaction.outcome = error;
    } else {
      one->result = error;
    }
    finish(*one);
    return true;
  });
}

// What waits in vain waits no longer, with nothing done; what comes after so long without a connection does not begin.
void RequestPipeline::expire_late() {
  if (now_ms_ < expire_late_at_ms_) return;
  expire_late_at_ms_ = now_ms_ + kExpireLateEveryMs;
  if (statements_.empty() && lookups_.empty() && txns_.empty()) return;
  const auto healthy = health();
  const Error error =
      healthy.ok() ? Error(ErrorKind::kUnavailable, "PostgreSQL did not answer in time.") : Error(healthy.error());
  expire_late(statements_, is_given_up(false), error);
  expire_late(lookups_, is_given_up(false), error);
  expire_late(txns_, is_given_up(true), error);
}

std::optional<Error> RequestPipeline::count_loss(PipelineRequest& request) {
  if (++request.losses_ >= kLossesInGroup) request.alone_ = true;
  if (request.losses_ < kMostLosses) return std::nullopt;
  return Error(ErrorKind::kUnavailable, "The connection to PostgreSQL was lost each time that this was tried.");
}

void RequestPipeline::dispatch() {
  for (const auto& lane : lanes_) {
    if (lane->connection.state() != PgConnection::State::kReady) continue;
    if (!lane->marked) {
      send_lookups(*lane);
      send_statements(*lane);
    } else if (lane->in_flight == nullptr && lane->connection.outstanding() == 0 && !txns_.empty()) {
      if (std::vector<PendingTxn*> txns = pick_txns(); !txns.empty()) begin_batch(*lane, std::move(txns));
    }
  }
}

// A request that may be the cause of losses has the connection to itself: what is sent beside it is lost with it.
bool RequestPipeline::can_send(const Lane& lane, const PipelineRequest& next) {
  if (lane.connection.state() != PgConnection::State::kReady) return false;
  const size_t outstanding = lane.connection.outstanding();
  if (outstanding == 0) return true;
  return outstanding < kPipelined && !lane.holds_suspect && !next.alone_;
}

void RequestPipeline::send_statements(Lane& lane) {
  while (!statements_.empty() && can_send(lane, *statements_.front())) {
    SqlRequest* const request = statements_.front();
    statements_.pop_front();
    lane.holds_suspect = request->alone_;
    PgConnection::Timeouts timeouts = timeouts_for(std::span<SqlRequest* const>(&request, 1), 0);
    if (is_maintenance(request->statement_)) timeouts.answer_ms = kMaintenanceTimeoutMs / 2;
    lane.connection.send(request->statement_, request->parameters_, now_ms_, timeouts,
                         [this, request](StatementResult&& result) { answer(*request, std::move(result)); });
  }
}

void RequestPipeline::answer(SqlRequest& request, StatementResult&& result) {
  if (result.kind == StatementResult::Kind::kRows) {
    request.result = std::move(result.rows);
    return finish(request);
  }
  const bool again = result.kind == StatementResult::Kind::kLost || result.error_class != ErrorClass::kFailed;
  if (again && !count_loss(request)) return statements_.push_front(&request);
  request.result = std::move(result.error);
  finish(request);
}

size_t RequestPipeline::keys_at_once() const {
  return std::clamp<size_t>(kMostBytesBack / std::max<size_t>(1, average_bytes_), 1, kMostLookedUp);
}

// Much is believed at once, and forgotten slowly.
void RequestPipeline::measure_reply(size_t keys, const Rows& rows, int column) {
  size_t bytes = 0;
  for (int row = 0; row < rows.size(); ++row) bytes += rows.bytes(row, column).size();
  average_bytes_ = std::max(bytes / keys, average_bytes_ - average_bytes_ / 16);
}

std::vector<LookupRequest*> RequestPipeline::pick_lookups() {
  std::vector<LookupRequest*> lookups;
  size_t keys = 0;
  while (!lookups_.empty() && lookups.size() < options_.merged) {
    LookupRequest* const next = lookups_.front();
    keys += next->keys_.size();
    if (!lookups.empty() && (next->alone_ || keys > keys_at_once())) break;
    lookups.push_back(next);
    lookups_.pop_front();
    if (next->alone_) break;
  }
  return lookups;
}

void RequestPipeline::send_lookups(Lane& lane) {
  while (!lookups_.empty() && can_send(lane, *lookups_.front())) {
    std::vector<LookupRequest*> lookups = pick_lookups();
    lane.holds_suspect = lookups.front()->alone_;
    const bool is_one = lookups.size() == 1 && lookups.front()->keys_.size() == 1;
    Parameters parameters;
    if (is_one) {
      const SplitKey parts = split(lookups.front()->keys_.front().bytes);
      parameters.add_bytes(parts.head);
      parameters.add_bytes(parts.tail);
    } else {
      KeyList list;
      for (const LookupRequest* const lookup : lookups) {
        for (const Key& key : lookup->keys_) list.add(key.bytes, true);
      }
      parameters = std::move(list).parameters();
    }
    const PgConnection::Timeouts timeouts = timeouts_for(std::span<LookupRequest* const>(lookups), 0);
    lane.connection.send(
        is_one ? PreparedStatement::kGet : PreparedStatement::kGetMany, std::move(parameters), now_ms_, timeouts,
        [this, lookups = std::move(lookups)](StatementResult&& result) { answer(lookups, std::move(result)); });
  }
}

// Requeues them in their order, before all others. After a failed group each is tried alone, since one may be the
// cause.
void RequestPipeline::retry_lookups(std::span<LookupRequest* const> lookups, bool was_lost) {
  std::vector<LookupRequest*> again;
  for (LookupRequest* const lookup : lookups) {
    if (!was_lost) lookup->alone_ = true;
    if (std::optional<Error> error = was_lost ? count_loss(*lookup) : std::nullopt) {
      lookup->result = std::move(*error);
      finish(*lookup);
    } else {
      again.push_back(lookup);
    }
  }
  lookups_.insert(lookups_.begin(), again.begin(), again.end());
}

void RequestPipeline::answer(std::span<LookupRequest* const> lookups, StatementResult&& result) {
  const bool was_lost = result.kind == StatementResult::Kind::kLost ||
                        (result.kind == StatementResult::Kind::kFailed && result.error_class != ErrorClass::kFailed);
  if (was_lost || (result.kind == StatementResult::Kind::kFailed && lookups.size() > 1))
    return retry_lookups(lookups, was_lost);
  if (result.kind == StatementResult::Kind::kRows) {
    size_t keys = 0;
    for (const LookupRequest* const lookup : lookups) keys += lookup->keys_.size();
    measure_reply(keys, result.rows, keys == 1 ? 1 : 2);
  }
  try {
    if (result.kind == StatementResult::Kind::kRows) distribute(lookups, result.rows);
  } catch (const std::bad_alloc&) {
    for (LookupRequest* const lookup : lookups) lookup->failure = std::current_exception();
  }
  for (LookupRequest* const lookup : lookups) {
    if (result.kind == StatementResult::Kind::kFailed) lookup->result = result.error;
    finish(*lookup);
  }
}

void RequestPipeline::distribute(std::span<LookupRequest* const> lookups, const Rows& rows) {
  if (lookups.size() == 1 && lookups.front()->keys_.size() == 1) {
    if (rows.size() == 0) return;
    lookups.front()->records[0].emplace(Record{std::string(rows.bytes(0, 1)), to_version(rows.int64(0, 0))});
    return;
  }
  std::vector<std::optional<Record>*> places;
  for (LookupRequest* const lookup : lookups) {
    for (std::optional<Record>& record : lookup->records) places.push_back(&record);
  }
  for (int row = 0; row < rows.size(); ++row) {
    const auto index = static_cast<size_t>(rows.int64(row, 0) - 1);
    PARTITA_CHECK(index < places.size());
    places[index]->emplace(Record{std::string(rows.bytes(row, 2)), to_version(rows.int64(row, 1))});
  }
}

void RequestPipeline::finish(PipelineRequest& request) { finished_.push_back(&request); }

void RequestPipeline::flush_finished() {
  const std::vector<PipelineRequest*> finished = std::exchange(finished_, {});
  const int64_t now_ns = finished.empty() ? 0 : system_clock().monotonic_ns();
  for (const PipelineRequest* const request : finished) {
    if (request->kind_ != PipelineRequest::Kind::kTxn)
      meters_.reads.add(static_cast<uint64_t>(now_ns - request->asked_at_ns_));
  }
  resume({finished.begin(), finished.end()}, workers_);
}

}  // namespace partita::postgres
