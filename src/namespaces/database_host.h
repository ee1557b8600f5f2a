// A database with the service that answers its calls. It can be rolled back to a snapshot, and its clock can be moved.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/result.h"
#include "ops/service.h"
#include "storage/engine.h"
#include "table/maintenance/snapshots.h"
#include "table/open/database.h"

namespace partita::namespaces {

// Callable from any thread. Functions that block must not be called on a thread that serves requests.
class DatabaseHost {
 public:
  // What all databases of a server share. Outlives them.
  struct Environment {
    storage::Engine& store;
    const Clock& clock;
    Random& random;
    table::DatabaseOptions options;
    table::AccountFollower* follower = nullptr;  // for the default database
    bool exclusive = false;                      // whether no other process uses the store: required for snapshots
    int64_t clock_ms = 0;                        // the initial offset of the database's clock
    bool clock_moves = true;                     // whether move_clock() is allowed
  };
  using MakeService = std::function<std::unique_ptr<ops::Service>(table::Database&)>;

  // Opens a namespace, or the default database if `name` is empty, and completes an interrupted rollback. Blocks.
  static Result<std::unique_ptr<DatabaseHost>> open(const Environment& environment, std::string name,
                                                    const MakeService& make_service);

  ops::Service& service() { return *service_; }

  // These block. Those that change anything wait for the calls in progress, and make new calls wait. Faults: those of
  // table::Snapshots, and kConstraints without exclusive use of the store. After any other error calls fail until the
  // next of these functions has reopened the database.
  Result<std::vector<table::SnapshotInfo>> snapshots();
  Result<table::SnapshotInfo> create_snapshot(const std::string& name);
  Result<uint64_t> roll_back(const std::string& name);
  Result<void> delete_snapshot(const std::string& name);

  // The time of this database: for TTL, streams, tokens, jobs, and conditions on the time.
  const MovableClock& clock() const { return clock_; }
  // Moves the clock by `by_ms`, which may be negative, from its current time or from the machine's, and looks for due
  // work. Waits and faults as above; kConstraints also if the clock may not be moved.
  enum class From : uint8_t { kDatabase, kMachine };
  Result<void> move_clock(int64_t by_ms, From from);

 private:
  DatabaseHost(const Environment& environment, std::string name);
  Result<void> open_database() PARTITA_REQUIRES(mutex_);
  // Closes the database, runs `work`, and opens the database again, while no call is in progress.
  template <class Work>
  auto run_exclusively(Work work);
  Result<void> recover() PARTITA_REQUIRES(mutex_);

  const Environment environment_;
  const std::string name_;
  MovableClock clock_;
  Mutex mutex_;
  table::Snapshots snapshots_ PARTITA_GUARDED_BY(mutex_);
  bool recovered_ PARTITA_GUARDED_BY(mutex_) = false;
  std::unique_ptr<table::Database> database_ PARTITA_GUARDED_BY(mutex_);
  std::unique_ptr<ops::Service> service_;  // never replaced, and callable from any thread
};

}  // namespace partita::namespaces
