#include "engines/foundationdb/session_lease.h"

#include <thread>

#include "base/bytes.h"
#include "base/random.h"
#include "engines/foundationdb/records.h"
#include "storage/exclusive_engine.h"

namespace partita::foundationdb {

using namespace storage;

namespace {

constexpr int kHeartbeatsOfGrace = 3;
constexpr size_t kMostUsers = 100'000;
// The time for one heartbeat, and for removing the lease at the end.
constexpr std::chrono::milliseconds kShortly{1'000};

std::string_view text(const uint8_t* bytes, int size) {
  return {reinterpret_cast<const char*>(bytes), static_cast<size_t>(size)};
}

uint64_t draw_id() { return system_random().next(); }

}  // namespace

SessionLease::SessionLease(const Cluster& cluster, const RowKeys& names, Workers& workers, Kind kind,
                           std::chrono::milliseconds heartbeat)
    : cluster_(cluster), names_(names), workers_(workers), kind_(kind), heartbeat_(heartbeat), id_(draw_id()) {}

SessionLease::~SessionLease() {
  if (!thread_.joinable()) return;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
  const auto until = Clock::now() + kShortly;
  // Who cannot say goodbye is found to be gone.
  while (wait_for(remove_once()) != 0 && Clock::now() < until) {
  }
}

std::optional<VersionCache::CachedVersion> SessionLease::parse_holder(std::optional<std::string_view> row) {
  if (!row) return std::optional<VersionCache::CachedVersion>(std::in_place, std::nullopt);
  const std::optional<uint64_t> id = take_u64(*row);
  if (!id || !row->empty()) return std::nullopt;
  return std::optional<VersionCache::CachedVersion>(std::in_place, Version{*id});
}

int SessionLease::verify_holder(const VersionCache::CachedVersion& holder) const {
  if (kind_ == Kind::kAlone) return holder == Version{id_} ? 0 : kHoldLost;
  return holder ? kHeld : 0;
}

Task<int> SessionLease::check(TxnAttempt& attempt) const {
  const Future held = attempt.get_firmly(names_.holder());
  if (const int code = co_await held.done(workers_); code != 0) co_return code;
  const std::optional<VersionCache::CachedVersion> holder = parse_holder(held.value());
  co_return holder ? verify_holder(*holder) : kDamaged;
}

Result<void> SessionLease::enter() {
  const RetryPolicy retry_policy(workers_);
  for (;;) {
    TxnAttempt attempt(cluster_);
    bool entered = false;
    bool waits = false;
    const int code = wait_for(try_to_enter(attempt, entered, waits));
    if (entered) break;
    if (waits) {
      std::this_thread::sleep_for(heartbeat_ / 4);
      continue;
    }
    if (code == 0) return kind_ == Kind::kAlone ? store_in_use() : store_held_exclusively();
    if (is_final(code) || !wait_for(retry_policy.allows_another(attempt, code))) return error_of(code);
  }
  PARTITA_TRY(thread_, Thread::start("fdb-lease", [this](const std::stop_token&) { run(); }));
  return {};
}

// `waits`: until it is known whether those are gone that are in the way. Neither, and no error: they are not.
Task<int> SessionLease::try_to_enter(TxnAttempt& attempt, bool& entered, bool& waits) {
  StoreUsers seen;
  if (const int code = co_await look(attempt, seen); code != 0) co_return code;
  const Users others = in_the_way(seen);
  const Clock::time_point now = Clock::now();
  if (!until_) until_ = now + kHeartbeatsOfGrace * heartbeat_;
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

Task<int> SessionLease::look(TxnAttempt& attempt, StoreUsers& seen) const {
  const Future held = attempt.get_firmly(names_.holder());
  const Future there = attempt.get_range(names_.users(), Direction::kAscending, kMostUsers, kMaxPageBytes);
  for (const Future* const asked : {&held, &there}) {
    if (const int code = co_await asked->done(workers_); code != 0) co_return code;
  }
  const std::optional<VersionCache::CachedVersion> holder = parse_holder(held.value());
  if (!holder) co_return kDamaged;
  seen.holder = *holder;
  const Future::Rows found = there.rows();
  for (const FdbKeyValue& row : found.rows) {
    seen.users.emplace(text(row.key, row.key_size), text(row.value, row.value_size));
  }
  seen.users.erase(row());
  co_return 0;
}

SessionLease::Users SessionLease::in_the_way(const StoreUsers& seen) const {
  if (kind_ == Kind::kAlone) return seen.users;
  if (!seen.holder) return {};
  const auto holder = seen.users.find(names_.user(static_cast<uint64_t>(*seen.holder)));
  return holder == seen.users.end() ? Users() : Users{*holder};
}

bool SessionLease::are_gone(const Users& others, Clock::time_point now) {
  bool all = true;
  for (const auto& [name, value] : others) {
    Observation& observation = observations_.try_emplace(name, Observation{value, now}).first->second;
    if (observation.value != value) observation = {value, now};
    all = all && now - observation.since >= kHeartbeatsOfGrace * heartbeat_;
  }
  return all;
}

// Who shows to be there meanwhile after all, or comes, makes the commit fail.
void SessionLease::write(TxnAttempt& attempt, const StoreUsers& seen, const Users& gone) {
  if (kind_ == Kind::kAlone) attempt.rely_on(names_.users());
  for (const auto& [name, value] : gone) {
    attempt.rely_on(name);
    attempt.clear(name);
  }
  attempt.set(row(), make_mark(++heartbeats_, false));
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

Task<int> SessionLease::send_heartbeat() {
  TxnAttempt attempt(cluster_);
  attempt.limit_time(kShortly);
  attempt.set(row(), make_mark(++heartbeats_, false));
  const Future sent = attempt.commit();
  co_return co_await sent.done(workers_);
}

Task<int> SessionLease::remove_once() {
  TxnAttempt attempt(cluster_);
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

void SessionLease::run() {
  const MutexLock lock(mutex_);
  while (!changed_.wait_for(mutex_, heartbeat_, [this]() PARTITA_REQUIRES(mutex_) { return stopping_; })) {
    mutex_.unlock();
    // After an error the next heartbeat follows.
    wait_for(send_heartbeat());
    mutex_.lock();
  }
}

}  // namespace partita::foundationdb
