#include "engines/postgres/courier.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/random.h"
#include "engines/postgres/lanes.h"

namespace partita::postgres {

using namespace storage;

namespace {

constexpr int64_t kFirstBackoffMs = 20;
constexpr int64_t kMostBackoffMs = 1'000;
constexpr int kMostAsks = 64;
// Statements on one connection whose answers have not come: so that the next is there when one is done.
constexpr size_t kPipelined = 4;
constexpr size_t kMostLookedUp = 1'024;
constexpr int64_t kUnhealthyAfterMs = 1'000;

int64_t clock_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

void Errand::await_suspend(std::coroutine_handle<> handle) {
  home_ = Executor::current();
  handle_ = handle;
  courier_.take(*this);
}

void Errand::await_resume() {
  if (failure_) [[unlikely]]
    std::rethrow_exception(std::move(failure_));
}

Courier::Courier(Target target, const PostgresOptions& options, const Limits& limits)
    : target_(std::move(target)), options_(options), limits_(limits), versions_(system_random().next()) {
  wakeup_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  PARTITA_CHECK(wakeup_ >= 0);
  for (size_t i = 0; i < options_.writers; ++i) lanes_.push_back(std::make_unique<Lane>(target_, true));
  for (size_t i = 0; i < options_.readers; ++i) lanes_.push_back(std::make_unique<Lane>(target_, false));
  thread_ = std::thread(&Courier::run, this);
}

Courier::~Courier() {
  {
    std::lock_guard lock(mutex_);
    PARTITA_CHECK(incoming_.empty());
    stopping_ = true;
  }
  PARTITA_CHECK(eventfd_write(wakeup_, 1) == 0);
  thread_.join();
  ::close(wakeup_);
}

void Courier::take(Errand& errand) {
  std::lock_guard lock(mutex_);
  incoming_.push_back(&errand);
  if (!std::exchange(asleep_, false)) return;
  PARTITA_CHECK(eventfd_write(wakeup_, 1) == 0);
}

Result<void> Courier::health() const {
  std::lock_guard lock(mutex_);
  if (trouble_.empty()) return {};
  return Error(ErrorKind::kUnavailable, trouble_);
}

// splitmix64 meets no number twice, and two servers begin at random.
Version Courier::draw_version() { return Version{splitmix64(versions_)}; }

void Courier::run() {
  for (;;) {
    now_ms_ = clock_ms();
    gather();
    tend_connections();
    settle();
    dispatch();
    give_up();
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
    if (errand->kind_ == Errand::Kind::kAsk) asks_.push_back(static_cast<Ask*>(errand));
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
  const bool waits = !deals_.empty() || !looks_.empty() || !asks_.empty();
  if (down_since_ms_ != 0) {
    due = std::min(due, (waits ? down_since_ms_ + kPatienceMs : now_ms_ + kUnhealthyAfterMs));
  }
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
    if (sockets[i + 1].revents != 0 || now_ms_ >= connection.due_ms()) connection.progress(now_ms_);
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
    connection.open(now_ms_);
  }
  const bool up = is_up(true);
  if (up) down_since_ms_ = 0;
  if (!up && down_since_ms_ == 0) down_since_ms_ = now_ms_;
  const bool ill = !up && now_ms_ - down_since_ms_ >= kUnhealthyAfterMs;
  std::lock_guard lock(mutex_);
  if (ill == !trouble_.empty()) return;
  trouble_.clear();
  if (ill) {
    trouble_ = "There is no connection to PostgreSQL. " + lanes_.front()->connection.trouble();
    log(LogLevel::kError, trouble_);
  } else {
    log(LogLevel::kInfo, "PostgreSQL is connected again.");
  }
}

// What waited for a connection for so long waits no longer.
void Courier::give_up() {
  if (down_since_ms_ == 0 || now_ms_ - down_since_ms_ < kPatienceMs) return;
  const Error error =
      health().ok() ? Error(ErrorKind::kUnavailable, "There is no connection to PostgreSQL.") : Error(health().error());
  for (Ask* const ask : std::exchange(asks_, {})) {
    ask->result = error;
    finish(*ask);
  }
  for (Look* const look : std::exchange(looks_, {})) {
    look->result = error;
    finish(*look);
  }
  for (Deal* const deal : std::exchange(deals_, {})) {
    deal->transaction.outcome = error;
    finish(*deal);
  }
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
    lane.connection.send(ask->statement_, ask->parameters_, now_ms_,
                         [this, ask](Reply&& reply) { answer(*ask, std::move(reply)); });
  }
}

void Courier::answer(Ask& ask, Reply&& reply) {
  if (reply.kind == Reply::Kind::kRows) {
    ask.result = std::move(reply.rows);
    return finish(ask);
  }
  const bool again = reply.kind == Reply::Kind::kLost || reply.fate != Fate::kFailed;
  if (again && ++ask.attempts_ < kMostAsks) return asks_.push_front(&ask);
  ask.result = std::move(reply.error);
  finish(ask);
}

void Courier::send_looks(Lane& lane) {
  while (!looks_.empty() && lane.connection.state() == Connection::State::kReady &&
         lane.connection.outstanding() < kPipelined) {
    std::vector<Look*> looks;
    size_t keys = 0;
    while (!looks_.empty() && looks.size() < options_.merged &&
           (looks.empty() || keys + looks_.front()->keys_.size() <= kMostLookedUp)) {
      looks.push_back(looks_.front());
      keys += looks_.front()->keys_.size();
      looks_.pop_front();
    }
    Parameters parameters;
    if (keys == 1) {
      const SplitKey parts = split(looks.front()->keys_.front().bytes);
      parameters.add_bytes(parts.head);
      parameters.add_bytes(parts.tail);
    } else {
      ArrayParameter heads(ArrayParameter::Element::kBytes);
      ArrayParameter tails(ArrayParameter::Element::kBytes);
      ArrayParameter values(ArrayParameter::Element::kInt32);
      for (const Look* const look : looks) {
        for (const Key& key : look->keys_) {
          const SplitKey parts = split(key.bytes);
          heads.add_bytes(parts.head);
          tails.add_bytes(parts.tail);
          values.add_int32(1);
        }
      }
      for (ArrayParameter* array : {&heads, &tails, &values}) parameters.add_array(std::move(*array));
    }
    lane.connection.send(keys == 1 ? Statement::kGet : Statement::kGetMany, std::move(parameters), now_ms_,
                         [this, looks = std::move(looks)](Reply&& reply) { answer(looks, std::move(reply)); });
  }
}

void Courier::answer(std::span<Look* const> looks, Reply&& reply) {
  if (reply.kind == Reply::Kind::kLost || (reply.kind == Reply::Kind::kFailed && reply.fate != Fate::kFailed)) {
    looks_.insert(looks_.begin(), looks.begin(), looks.end());
    return;
  }
  try {
    if (reply.kind == Reply::Kind::kRows) hand_out(looks, reply.rows);
  } catch (const std::bad_alloc&) {
    for (Look* const look : looks) look->failure_ = std::current_exception();
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

// Each executor is woken once for all that ended meanwhile.
void Courier::flush_finished() {
  std::vector<Errand*> finished = std::exchange(finished_, {});
  std::ranges::stable_sort(finished, {}, &Errand::home_);
  std::vector<std::coroutine_handle<>> handles;
  for (size_t i = 0; i < finished.size(); ++i) {
    Executor* const home = finished[i]->home_ != nullptr ? finished[i]->home_ : &workers_;
    handles.push_back(finished[i]->handle_);
    if (i + 1 < finished.size() && finished[i + 1]->home_ == finished[i]->home_) continue;
    home->resume_all(handles);
    handles.clear();
  }
}

}  // namespace partita::postgres
