#include "engines/foundationdb/presence.h"

#include <algorithm>
#include <thread>

#include "base/bytes.h"
#include "base/random.h"
#include "engines/foundationdb/records.h"
#include "storage/held_engine.h"

namespace partita::foundationdb {

using namespace storage;

namespace {

constexpr int kBeatsOfGrace = 3;
constexpr size_t kMostUsers = 100'000;
// Of what is given up for another beat, or for an end that waits for nobody.
constexpr std::chrono::milliseconds kShortly{1'000};

std::string_view text(const uint8_t* bytes, int size) {
  return {reinterpret_cast<const char*>(bytes), static_cast<size_t>(size)};
}

uint64_t draw_id() { return system_random().next(); }

}  // namespace

Presence::Presence(const Database& database, const Names& names, Workers& workers, Kind kind,
                   std::chrono::milliseconds beat)
    : database_(database), names_(names), workers_(workers), kind_(kind), beat_(beat), id_(draw_id()) {}

Presence::~Presence() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
  const auto until = Clock::now() + kShortly;
  // Who cannot say goodbye is found to be gone.
  while (wait_for(leave_once()) != 0 && Clock::now() < until) {
  }
}

std::optional<Settled::Known> Presence::parse_holder(std::optional<std::string_view> row) {
  if (!row) return std::optional<Settled::Known>(std::in_place, std::nullopt);
  const std::optional<uint64_t> id = take_u64(*row);
  if (!id || !row->empty()) return std::nullopt;
  return std::optional<Settled::Known>(std::in_place, Version{*id});
}

int Presence::judge(const Settled::Known& holder) const {
  if (kind_ == Kind::kAlone) return holder == Version{id_} ? 0 : kHoldLost;
  return holder ? kHeld : 0;
}

Task<int> Presence::check(Attempt& attempt) const {
  const Future held = attempt.get_firmly(names_.holder());
  if (const int code = co_await held.done(workers_); code != 0) co_return code;
  const std::optional<Settled::Known> holder = parse_holder(held.value());
  co_return holder ? judge(*holder) : kDamaged;
}

Result<void> Presence::enter() {
  const Patience patience(workers_);
  for (;;) {
    Attempt attempt(database_);
    bool entered = false;
    bool waits = false;
    const int code = wait_for(try_to_enter(attempt, entered, waits));
    if (entered) break;
    if (waits) {
      std::this_thread::sleep_for(beat_ / 4);
      continue;
    }
    if (code == 0) return kind_ == Kind::kAlone ? store_is_used() : store_is_held();
    if (is_final(code) || !wait_for(patience.allows_another(attempt, code))) return error_of(code);
  }
  PARTITA_TRY(thread_, Thread::start("presence", [this](const std::stop_token&) { run(); }));
  return {};
}

// `waits`: until it is known whether those are gone that are in the way. Neither, and no error: they are not.
Task<int> Presence::try_to_enter(Attempt& attempt, bool& entered, bool& waits) {
  Look seen;
  if (const int code = co_await look(attempt, seen); code != 0) co_return code;
  const Users others = in_the_way(seen);
  const Clock::time_point now = Clock::now();
  if (!until_) until_ = now + kBeatsOfGrace * beat_;
  if (!are_gone(others, now)) {
    waits = now < *until_;
    co_return 0;
  }
  write(attempt, seen, others);
  const Future sent = attempt.commit();
  const int code = co_await sent.done(workers_);
  entered = code == 0;
  co_return code;
}

Task<int> Presence::look(Attempt& attempt, Look& seen) const {
  const Future held = attempt.get_firmly(names_.holder());
  const Future there = attempt.get_range(names_.users(), Direction::kAscending, kMostUsers, kMaxPageBytes);
  for (const Future* const asked : {&held, &there}) {
    if (const int code = co_await asked->done(workers_); code != 0) co_return code;
  }
  const std::optional<Settled::Known> holder = parse_holder(held.value());
  if (!holder) co_return kDamaged;
  seen.holder = *holder;
  const Future::Rows found = there.rows();
  for (const FdbKeyValue& row : found.rows) {
    seen.users.emplace(text(row.key, row.key_size), text(row.value, row.value_size));
  }
  seen.users.erase(row());
  co_return 0;
}

Presence::Users Presence::in_the_way(const Look& seen) const {
  if (kind_ == Kind::kAlone) return seen.users;
  if (!seen.holder) return {};
  const auto holder = seen.users.find(names_.user(static_cast<uint64_t>(*seen.holder)));
  return holder == seen.users.end() ? Users() : Users{*holder};
}

bool Presence::are_gone(const Users& others, Clock::time_point now) {
  bool all = true;
  for (const auto& [name, value] : others) {
    Sight& sight = sights_.try_emplace(name, Sight{value, now}).first->second;
    if (sight.value != value) sight = {value, now};
    all = all && now - sight.since >= kBeatsOfGrace * beat_;
  }
  return all;
}

// Who shows to be there meanwhile after all, or comes, makes the commit fail.
void Presence::write(Attempt& attempt, const Look& seen, const Users& gone) {
  if (kind_ == Kind::kAlone) attempt.rely_on(names_.users());
  for (const auto& [name, value] : gone) {
    attempt.rely_on(name);
    attempt.clear(name);
  }
  attempt.set(row(), make_mark(++beats_, false));
  if (kind_ == Kind::kAlone) {
    std::string id;
    append_u64(id, id_);
    attempt.set(names_.holder(), id);
  } else if (seen.holder) {
    attempt.clear(names_.holder());
  } else {
    return;
  }
  attempt.renew_metadata_version();
}

Task<int> Presence::beat_once() {
  Attempt attempt(database_);
  attempt.limit_time(kShortly);
  attempt.set(row(), make_mark(++beats_, false));
  const Future sent = attempt.commit();
  co_return co_await sent.done(workers_);
}

Task<int> Presence::leave_once() {
  Attempt attempt(database_);
  attempt.limit_time(kShortly);
  attempt.clear(row());
  if (kind_ == Kind::kAlone) {
    const int code = co_await check(attempt);
    if (code != 0 && !is_final(code)) co_return code;
    if (code == 0) {
      attempt.clear(names_.holder());
      attempt.renew_metadata_version();
    }
  }
  const Future sent = attempt.commit();
  co_return co_await sent.done(workers_);
}

void Presence::run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, beat_, [this] { return stopping_; })) {
    lock.unlock();
    // What fails is said again with the next beat.
    wait_for(beat_once());
    lock.lock();
  }
}

}  // namespace partita::foundationdb
