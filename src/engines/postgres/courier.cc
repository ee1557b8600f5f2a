#include "engines/postgres/courier.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

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
constexpr int kLossesInCompany = 2;
// Statements on one connection whose answers have not come: so that the next is there when one is done.
constexpr size_t kPipelined = 4;
constexpr size_t kMostLookedUp = 1'024;
// About what one statement may bring back: all of it is in memory at once.
constexpr size_t kMostBytesBack = size_t{4} << 20;
constexpr int64_t kUnhealthyAfterMs = 1'000;
// How long a refused commit speaks against the store.
constexpr int64_t kRefusalCountsMs = 5'000;
constexpr int64_t kLookForLateEveryMs = 100;
// Of work that no request waits for, whose statements may take long.
constexpr int64_t kPatienceWithUpkeepMs = 60'000;

bool is_upkeep(Statement statement) {
  using enum Statement;
  return statement == kErase || statement == kTrim || statement == kForget || statement == kRestoreLog;
}

int64_t clock_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

void Errand::await_suspend(std::coroutine_handle<> handle) {
  suspend(handle);
  if (kind_ != Kind::kDeal) asked_at_ns_ = system_clock().monotonic_ns();
  courier_.take(*this);
}

Courier::Courier(Target target, const PostgresOptions& options, const Limits& limits)
    : target_(std::move(target)), options_(options), limits_(limits), versions_(system_random().next()) {
  for (size_t i = 0; i < options_.writers + options_.readers; ++i) {
    lanes_.push_back(std::make_unique<Lane>(target_, i < options_.writers, [this] { wake(); }));
  }
}

Result<void> Courier::start() {
  wakeup_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wakeup_ < 0) return Error(ErrorKind::kUnavailable, "No file descriptor is left: raise the limit (ulimit -n).");
  PARTITA_TRY(thread_, Thread::start("courier", [this](const std::stop_token&) { run(); }));
  // Each connection is made on one more.
  PARTITA_TRY_VOID(Thread::start("dial", [](const std::stop_token&) {}));
  return {};
}

Courier::~Courier() {
  {
    std::lock_guard lock(mutex_);
    PARTITA_CHECK(incoming_.empty());
    stopping_ = true;
  }
  if (thread_.joinable()) {
    wake();
    thread_.join();
  }
  lanes_.clear();
  if (wakeup_ >= 0) ::close(wakeup_);
}

void Courier::wake() const { PARTITA_CHECK(eventfd_write(wakeup_, 1) == 0); }

void Courier::take(Errand& errand) {
  std::lock_guard lock(mutex_);
  incoming_.push_back(&errand);
  if (std::exchange(asleep_, false)) wake();
}

Result<void> Courier::health() const {
  std::lock_guard lock(mutex_);
  if (trouble_.empty()) return {};
  return Error(ErrorKind::kUnavailable, trouble_);
}

// splitmix64 meets no number twice, and two servers begin at random.
Version Courier::draw_version() { return Version{splitmix64(versions_)}; }

void Courier::run() {
  raise_thread_priority();
  for (;;) {
    now_ms_ = clock_ms();
    gather();
    tend_connections();
    settle();
    dispatch();
    end_late();
    flush_finished();
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    sleep();
  }
}

void Courier::gather() {
  std::vector<Errand*> news;
  {
    std::lock_guard lock(mutex_);
    asleep_ = false;
    news.swap(incoming_);
  }
  for (Errand* const errand : news) {
    errand->deadline_ms_ = now_ms_ + kPatienceMs;
    if (errand->kind_ == Errand::Kind::kAsk) asks_.push_back(static_cast<Ask*>(errand));
    if (errand->kind_ == Errand::Kind::kAsk && is_upkeep(static_cast<Ask*>(errand)->statement_)) {
      errand->deadline_ms_ = now_ms_ + kPatienceWithUpkeepMs;
    }
    if (errand->kind_ == Errand::Kind::kLook) looks_.push_back(static_cast<Look*>(errand));
    if (errand->kind_ == Errand::Kind::kDeal) deals_.push_back(static_cast<Deal*>(errand));
  }
}

int64_t Courier::next_due() const {
  int64_t due = INT64_MAX;
  for (const auto& lane : lanes_) {
    due = std::min(due, lane->connection.due_ms());
    if (lane->connection.state() == Connection::State::kDown) due = std::min(due, lane->open_at_ms);
  }
  for (const Deal* const deal : deals_) {
    if (deal->not_before_ms_ > now_ms_) due = std::min(due, deal->not_before_ms_);
  }
  for (const auto& settlement : settlements_) due = std::min(due, settlement->ask_at_ms);
  for (const bool marked : {false, true}) {
    if (down_since_ms_[marked] == 0) continue;
    due = std::min(due, now_ms_ + kUnhealthyAfterMs);
  }
  const bool waits = !deals_.empty() || !looks_.empty() || !asks_.empty() || !settlements_.empty();
  if (waits) due = std::min(due, look_for_late_at_ms_);
  if (refused_at_ms_ != 0) due = std::min(due, refused_at_ms_ + kRefusalCountsMs);
  return due;
}

void Courier::sleep() {
  std::vector<pollfd> sockets{{wakeup_, POLLIN, 0}};
  for (const auto& lane : lanes_) sockets.push_back({lane->connection.socket(), lane->connection.events(), 0});
  const int64_t due = next_due();
  int64_t timeout_ms = due == INT64_MAX ? -1 : std::max<int64_t>(0, due - now_ms_);
  {
    std::lock_guard lock(mutex_);
    if (!incoming_.empty() || stopping_) timeout_ms = 0;
    asleep_ = timeout_ms != 0;
  }
  poll(sockets.data(), sockets.size(), static_cast<int>(std::min<int64_t>(timeout_ms, 60'000)));
  if (sockets[0].revents != 0) {
    eventfd_t ignored = 0;
    eventfd_read(wakeup_, &ignored);
  }
  now_ms_ = clock_ms();
  for (size_t i = 0; i < lanes_.size(); ++i) {
    Connection& connection = lanes_[i]->connection;
    const short events = sockets[i + 1].revents;
    if (events != 0 || connection.is_due(now_ms_)) connection.progress(now_ms_, (events & POLLOUT) != 0);
  }
}

bool Courier::is_up(bool marked) const {
  return std::ranges::any_of(lanes_, [marked](const auto& lane) {
    return lane->marked == marked && lane->connection.state() == Connection::State::kReady;
  });
}

void Courier::tend_connections() {
  for (const auto& lane : lanes_) {
    Connection& connection = lane->connection;
    if (connection.state() == Connection::State::kReady) lane->backoff_ms = 0;
    if (connection.state() != Connection::State::kDown || now_ms_ < lane->open_at_ms) continue;
    lane->backoff_ms = std::clamp(lane->backoff_ms * 2, kFirstBackoffMs, kMostBackoffMs);
    lane->open_at_ms = now_ms_ + lane->backoff_ms;
    connection.open();
  }
  std::string trouble = look_for_trouble();
  std::lock_guard lock(mutex_);
  if (trouble.empty() == trouble_.empty()) return;
  trouble_ = std::move(trouble);
  log(trouble_.empty() ? LogLevel::kInfo : LogLevel::kError,
      trouble_.empty() ? "PostgreSQL takes requests again." : trouble_);
}

// Either kind of connections may be missing without the other: PostgreSQL has a limit of them.
std::string Courier::look_for_trouble() {
  std::string trouble;
  for (const auto& lane : lanes_) {
    int64_t& since = down_since_ms_[lane->marked];
    if (is_up(lane->marked))
      since = 0;
    else if (since == 0)
      since = now_ms_;
    if (since == 0 || now_ms_ - since < kUnhealthyAfterMs || !trouble.empty()) continue;
    trouble = "There is no connection to PostgreSQL. " + lane->connection.trouble();
  }
  if (refused_at_ms_ != 0 && now_ms_ - refused_at_ms_ >= kRefusalCountsMs) refused_at_ms_ = 0;
  if (trouble.empty() && refused_at_ms_ != 0) trouble = "PostgreSQL refuses writes. " + refusal_;
  return trouble;
}

bool Courier::is_given_up(bool marked) const {
  return down_since_ms_[marked] != 0 && now_ms_ - down_since_ms_[marked] >= kPatienceMs;
}

template <class Kind>
void Courier::end_late(std::deque<Kind*>& waiting, bool all, const Error& error) {
  std::erase_if(waiting, [&](Kind* one) {
    if (!all && now_ms_ < one->deadline_ms_) return false;
    if constexpr (std::is_same_v<Kind, Deal>) {
      one->transaction.outcome = error;
    } else {
      one->result = error;
    }
    finish(*one);
    return true;
  });
}

// What waits in vain waits no longer, with nothing done; what comes after so long without a connection does not begin.
void Courier::end_late() {
  if (now_ms_ < look_for_late_at_ms_) return;
  look_for_late_at_ms_ = now_ms_ + kLookForLateEveryMs;
  if (asks_.empty() && looks_.empty() && deals_.empty()) return;
  const auto healthy = health();
  const Error error =
      healthy.ok() ? Error(ErrorKind::kUnavailable, "PostgreSQL did not answer in time.") : Error(healthy.error());
  end_late(asks_, is_given_up(false), error);
  end_late(looks_, is_given_up(false), error);
  end_late(deals_, is_given_up(true), error);
}

std::optional<Error> Courier::count_loss(Errand& errand) {
  if (++errand.losses_ >= kLossesInCompany) errand.alone_ = true;
  if (errand.losses_ < kMostLosses) return std::nullopt;
  return Error(ErrorKind::kUnavailable, "The connection to PostgreSQL was lost each time that this was tried.");
}

void Courier::dispatch() {
  for (const auto& lane : lanes_) {
    if (lane->connection.state() != Connection::State::kReady) continue;
    if (!lane->marked) {
      send_looks(*lane);
      send_asks(*lane);
    } else if (lane->load == nullptr && lane->connection.outstanding() == 0 && !deals_.empty()) {
      if (std::vector<Deal*> deals = pick_deals(); !deals.empty()) begin_batch(*lane, std::move(deals));
    }
  }
}

void Courier::send_asks(Lane& lane) {
  while (!asks_.empty() && lane.connection.state() == Connection::State::kReady &&
         lane.connection.outstanding() < kPipelined) {
    Ask* const ask = asks_.front();
    asks_.pop_front();
    Connection::Patience patience = patience_for(std::span<Ask* const>(&ask, 1), 0);
    if (is_upkeep(ask->statement_)) patience.answer_ms = kPatienceWithUpkeepMs / 2;
    lane.connection.send(ask->statement_, ask->parameters_, now_ms_, patience,
                         [this, ask](Reply&& reply) { answer(*ask, std::move(reply)); });
  }
}

void Courier::answer(Ask& ask, Reply&& reply) {
  if (reply.kind == Reply::Kind::kRows) {
    ask.result = std::move(reply.rows);
    return finish(ask);
  }
  const bool again = reply.kind == Reply::Kind::kLost || reply.fate != Fate::kFailed;
  if (again && !count_loss(ask)) return asks_.push_front(&ask);
  ask.result = std::move(reply.error);
  finish(ask);
}

size_t Courier::keys_at_once() const {
  return std::clamp<size_t>(kMostBytesBack / std::max<size_t>(1, average_bytes_), 1, kMostLookedUp);
}

// Much is believed at once, and forgotten slowly.
void Courier::weigh(size_t keys, const Rows& rows, int column) {
  size_t bytes = 0;
  for (int row = 0; row < rows.size(); ++row) bytes += rows.bytes(row, column).size();
  average_bytes_ = std::max(bytes / keys, average_bytes_ - average_bytes_ / 16);
}

std::vector<Look*> Courier::pick_looks() {
  std::vector<Look*> looks;
  size_t keys = 0;
  while (!looks_.empty() && looks.size() < options_.merged) {
    Look* const next = looks_.front();
    keys += next->keys_.size();
    if (!looks.empty() && (next->alone_ || keys > keys_at_once())) break;
    looks.push_back(next);
    looks_.pop_front();
    if (next->alone_) break;
  }
  return looks;
}

void Courier::send_looks(Lane& lane) {
  while (!looks_.empty() && lane.connection.state() == Connection::State::kReady &&
         lane.connection.outstanding() < kPipelined) {
    std::vector<Look*> looks = pick_looks();
    const bool is_one = looks.size() == 1 && looks.front()->keys_.size() == 1;
    Parameters parameters;
    if (is_one) {
      const SplitKey parts = split(looks.front()->keys_.front().bytes);
      parameters.add_bytes(parts.head);
      parameters.add_bytes(parts.tail);
    } else {
      KeyList list;
      for (const Look* const look : looks) {
        for (const Key& key : look->keys_) list.add(key.bytes, true);
      }
      parameters = std::move(list).parameters();
    }
    const Connection::Patience patience = patience_for(std::span<Look* const>(looks), 0);
    lane.connection.send(is_one ? Statement::kGet : Statement::kGetMany, std::move(parameters), now_ms_, patience,
                         [this, looks = std::move(looks)](Reply&& reply) { answer(looks, std::move(reply)); });
  }
}

// In their order, before all others. What failed in company is tried alone, since it may be due to one of them.
void Courier::look_again(std::span<Look* const> looks, bool was_lost) {
  std::vector<Look*> again;
  for (Look* const look : looks) {
    if (!was_lost) look->alone_ = true;
    if (std::optional<Error> error = was_lost ? count_loss(*look) : std::nullopt) {
      look->result = std::move(*error);
      finish(*look);
    } else {
      again.push_back(look);
    }
  }
  looks_.insert(looks_.begin(), again.begin(), again.end());
}

void Courier::answer(std::span<Look* const> looks, Reply&& reply) {
  const bool was_lost =
      reply.kind == Reply::Kind::kLost || (reply.kind == Reply::Kind::kFailed && reply.fate != Fate::kFailed);
  if (was_lost || (reply.kind == Reply::Kind::kFailed && looks.size() > 1)) return look_again(looks, was_lost);
  if (reply.kind == Reply::Kind::kRows) {
    size_t keys = 0;
    for (const Look* const look : looks) keys += look->keys_.size();
    weigh(keys, reply.rows, keys == 1 ? 1 : 2);
  }
  try {
    if (reply.kind == Reply::Kind::kRows) hand_out(looks, reply.rows);
  } catch (const std::bad_alloc&) {
    for (Look* const look : looks) look->failure = std::current_exception();
  }
  for (Look* const look : looks) {
    if (reply.kind == Reply::Kind::kFailed) look->result = reply.error;
    finish(*look);
  }
}

void Courier::hand_out(std::span<Look* const> looks, const Rows& rows) {
  if (looks.size() == 1 && looks.front()->keys_.size() == 1) {
    if (rows.size() == 0) return;
    looks.front()->records[0].emplace(Record{std::string(rows.bytes(0, 1)), to_version(rows.int64(0, 0))});
    return;
  }
  std::vector<std::optional<Record>*> places;
  for (Look* const look : looks) {
    for (std::optional<Record>& record : look->records) places.push_back(&record);
  }
  for (int row = 0; row < rows.size(); ++row) {
    const auto index = static_cast<size_t>(rows.int64(row, 0) - 1);
    PARTITA_CHECK(index < places.size());
    places[index]->emplace(Record{std::string(rows.bytes(row, 2)), to_version(rows.int64(row, 1))});
  }
}

void Courier::finish(Errand& errand) { finished_.push_back(&errand); }

void Courier::flush_finished() {
  const std::vector<Errand*> finished = std::exchange(finished_, {});
  const int64_t now_ns = finished.empty() ? 0 : system_clock().monotonic_ns();
  for (const Errand* const errand : finished) {
    if (errand->kind_ != Errand::Kind::kDeal) meters_.reads.add(static_cast<uint64_t>(now_ns - errand->asked_at_ns_));
  }
  resume({finished.begin(), finished.end()}, workers_);
}

}  // namespace partita::postgres
