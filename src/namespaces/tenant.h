// A database and what serves its calls, which can be set back to what it was.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "namespaces/movable_clock.h"
#include "ops/service.h"
#include "storage/engine.h"
#include "table/maintenance/snapshots.h"
#include "table/open/database.h"

namespace partita::namespaces {

// Callable from any thread; what blocks not on one that serves.
class Tenant {
 public:
  // What all of a server stand on; outlives them.
  struct Ground {
    storage::Engine& store;
    const Clock& clock;
    Random& random;
    table::Options options;
    table::AccountFollower* follower = nullptr;  // of the store's own database
    bool alone = false;    // whether no other process uses the store: without that there are no snapshots
    int64_t clock_ms = 0;  // how far the database's own clock is ahead of `clock` at first
    bool clock_moves = true;
  };
  // Makes the service, once there is a database.
  using Serve = std::function<std::unique_ptr<ops::Service>(table::Database&)>;

  // Of the namespace of that name, or of the store's own database when it is empty. Blocks.
  static Result<std::unique_ptr<Tenant>> open(const Ground& ground, std::string name, const Serve& serve);

  ops::Service& service() { return *service_; }

  // These block until the calls under way have ended; those that come wait for them to be done. Faults: those of
  // Snapshots, and kConstraints where there are none. After any other error the database is opened again before
  // anything else is done to it, and until then its calls fail.
  Result<std::vector<table::SnapshotInfo>> snapshots();
  Result<table::SnapshotInfo> create_snapshot(const std::string& name);
  Result<uint64_t> roll_back(const std::string& name);
  Result<void> delete_snapshot(const std::string& name);

  // The time of this database: of TTL, streams, tokens, jobs, and of conditions on the time.
  const MovableClock& clock() const { return clock_; }
  // Moves it by so much, which may be less than 0, from where it is or from the machine's clock, between two calls;
  // what is due then is looked for at once. Faults and blocking as of snapshots; kConstraints too where it does not
  // move.
  enum class From : uint8_t { kHere, kMachine };
  Result<void> move_clock(int64_t by_ms, From from);

 private:
  Tenant(const Ground& ground, std::string name);
  Result<void> open_database();
  // Does what nobody may be beside.
  template <class Work>
  auto alone(Work work);
  Result<void> recover();

  const Ground ground_;
  const std::string name_;
  MovableClock clock_;
  std::mutex working_;  // held by who does something to the database
  table::Snapshots snapshots_;
  bool recovered_ = false;
  std::unique_ptr<table::Database> database_;
  std::unique_ptr<ops::Service> service_;
};

}  // namespace partita::namespaces
