#include "namespaces/database_host.h"

#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "base/log.h"
#include "model/fault.h"

namespace partita::namespaces {

namespace {

// Other servers could not be told to forget what was rolled back.
Error refusal_of_shared() {
  return model::refuse(model::Fault::kConstraints,
                       {"Snapshots are for a store that one server has for itself, a directory or memory; several may "
                        "share this one."});
}

}  // namespace

DatabaseHost::DatabaseHost(const Environment& environment, std::string name)
    : environment_(environment),
      name_(std::move(name)),
      clock_(environment.clock, environment.clock_ms),
      snapshots_(environment.store, name_, clock_) {}

Result<std::unique_ptr<DatabaseHost>> DatabaseHost::open(const Environment& environment, std::string name,
                                                         const MakeService& make_service) {
  std::unique_ptr<DatabaseHost> host(new DatabaseHost(environment, std::move(name)));
  const MutexLock lock(host->mutex_);
  if (environment.exclusive) PARTITA_TRY_VOID(host->recover());
  PARTITA_TRY_VOID(host->open_database());
  host->service_ = make_service(*host->database_);
  host->service_->expire_iterators(host->snapshots_.iterators_from_ms());
  if (!environment.exclusive) host->service_->share_capacity();
  return host;
}

Result<void> DatabaseHost::open_database() {
  // Shard iterators issued in the same millisecond would count as older ones.
  while (clock_.now_ms() < snapshots_.iterators_from_ms()) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  table::DatabaseOptions options = environment_.options;
  if (name_.empty()) options.follower = environment_.follower;
  if (!name_.empty()) {
    options.make_job = nullptr;
    options.no_kinesis = "Only tables of the default namespace can send their changes to Kinesis.";
  }
  options.exclusive = environment_.exclusive;
  options.rolled_back_ms = snapshots_.rolled_back_ms();
  PARTITA_TRY(database_, table::Database::open(snapshots_.engine(), clock_, environment_.random, options));
  return {};
}

Result<void> DatabaseHost::recover() {
  if (recovered_) return {};
  PARTITA_TRY_VOID(wait_for(snapshots_.recover()));
  recovered_ = true;
  return {};
}

template <class Work>
auto DatabaseHost::run_exclusively(Work work) {
  using Done = decltype(work());
  if (!environment_.exclusive) return Done(refusal_of_shared());
  const MutexLock lock(mutex_);
  service_->pause();
  database_.reset();
  const auto attempt = [&]() PARTITA_REQUIRES(mutex_) -> Done {
    try {
      if (auto recovered = recover(); !recovered.ok()) return Done(std::move(recovered).error());
      Done done = work();
      recovered_ = done.ok() || done.error().kind() == ErrorKind::kInvalid;
      return done;
    } catch (const std::bad_alloc&) {
      recovered_ = false;
      return Done(Error(ErrorKind::kUnavailable, "there was not enough memory."));
    }
  };
  const auto reopen = [&]() PARTITA_REQUIRES(mutex_) -> Result<void> {
    try {
      PARTITA_TRY_VOID(recover());
      PARTITA_TRY_VOID(open_database());
      service_->expire_iterators(snapshots_.iterators_from_ms());
    } catch (const std::bad_alloc&) {
      database_.reset();
      return Error(ErrorKind::kUnavailable, "there was not enough memory.");
    }
    return {};
  };
  Done done = attempt();
  const auto opened = reopen();
  if (opened.ok()) {
    service_->resume(*database_);
    return done;
  }
  log(LogLevel::kError,
      {"The database", name_.empty() ? "" : " of the namespace ", name_,
       " is not served until a rollback of it succeeds, or the server is started again: ", opened.error().sentence()});
  service_->resume_without();
  return Done(opened.error());
}

Result<std::vector<table::SnapshotInfo>> DatabaseHost::snapshots() {
  if (!environment_.exclusive) return refusal_of_shared();
  const MutexLock lock(mutex_);
  return snapshots_.list();
}

Result<table::SnapshotInfo> DatabaseHost::create_snapshot(const std::string& name) {
  return run_exclusively([&]() PARTITA_REQUIRES(mutex_) { return wait_for(snapshots_.create(name)); });
}

Result<uint64_t> DatabaseHost::roll_back(const std::string& name) {
  return run_exclusively([&]() PARTITA_REQUIRES(mutex_) { return wait_for(snapshots_.roll_back(name)); });
}

Result<void> DatabaseHost::delete_snapshot(const std::string& name) {
  return run_exclusively([&]() PARTITA_REQUIRES(mutex_) { return wait_for(snapshots_.remove(name)); });
}

// Reopens the database, so that no request or job sees two times, and all jobs look for due work.
Result<void> DatabaseHost::move_clock(int64_t by_ms, From from) {
  constexpr int64_t kAfter9999Ms = 253'402'300'800'000;
  if (!environment_.exclusive) {
    return model::refuse(model::Fault::kConstraints,
                         {"The clock can be moved only where one server has the store for itself, a directory or "
                          "memory; several may share this one, and each has a clock of its own. Start all of them "
                          "with --clock."});
  }
  // A command meant for another server would delete items for good.
  if (!environment_.clock_moves) {
    return model::refuse(model::Fault::kConstraints,
                         {"The clock is not moved: this server has stored data, and verifies signatures or listens "
                          "beyond loopback. Start it with --clock 0 if it is for development."});
  }
  int64_t ahead_ms = 0;
  PARTITA_TRY_VOID(run_exclusively([&]() -> Result<void> {
    const int64_t now_ms = environment_.clock.now_ms();
    ahead_ms = by_ms + (from == From::kDatabase ? clock_.by_ms() : 0);
    if (ahead_ms < -now_ms || ahead_ms >= kAfter9999Ms - now_ms) {
      return model::refuse(model::Fault::kConstraints, {"The clock can be moved to a time from 1970 to 9999."});
    }
    clock_.move_to(ahead_ms);
    return {};
  }));
  const std::string of = name_.empty() ? "" : " of the namespace " + name_;
  const std::string by = std::to_string((ahead_ms < 0 ? -ahead_ms : ahead_ms) / 1'000);
  const std::string_view way = ahead_ms < 0 ? " s behind the machine's" : " s ahead of the machine's";
  if (ahead_ms == 0) {
    log(LogLevel::kInfo, {"The clock", of, " is the machine's again."});
  } else {
    log(LogLevel::kWarn, {"The clock", of, " is ", by, way, ": for development only."});
  }
  return {};
}

}  // namespace partita::namespaces
