// States of a database that it can be set back to, as often as one likes: for test suites.
//
// A snapshot is a copy of all rows and logs, beside the database in the same store. Rolling back writes what differs:
// while the process lives it knows what was changed since, and looks at nothing else. What does not fit one transaction
// is begun with a mark in the store and ended by erasing it, and whoever opens the database next completes what was
// begun. Ids of tables are never used again, so what the store says of the next id stays as it is.
//
// Only for a store that no other process uses.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "storage/tracking_engine.h"

namespace partita::table {

inline constexpr size_t kMaxSnapshots = 32;

struct SnapshotInfo {
  std::string name;  // as a namespace's
  int64_t created_ms = 0;
  uint64_t rows = 0;  // and entries of logs
  uint64_t bytes = 0;
};

// Of one database. For one thread at a time; but for engine() and all that is const, nobody uses the database
// meanwhile.
class Snapshots {
 public:
  // The snapshot that a database is on its way back to, if that was cut off: recover() completes it. Empty: it was not.
  // Error: kCorrupt when that snapshot is not there.
  static Task<Result<std::string>> begun_rollback(storage::Engine& store, std::string space);
  // How many there are of a database, those that are being made or deleted with them.
  static Task<Result<uint64_t>> count(storage::Engine& store, std::string space);

  // Of the namespace of that name, or of the store's own database when it is empty. Both outlive it. `batch_bytes`:
  // what one transaction writes.
  Snapshots(storage::Engine& store, std::string space, const Clock& clock, size_t batch_bytes = size_t{8} << 20);
  ~Snapshots();

  // First of all, and again after an error of any other: learns what there is, and completes what was begun.
  Task<Result<void>> recover();
  // What the database is opened on, until the next of the functions below that succeeds.
  storage::Engine& engine() { return *engine_; }
  // Iterators of shards that are older see what is no more; 0: none do.
  int64_t iterators_from_ms() const;

  std::vector<SnapshotInfo> list() const;
  // Faults: kConstraints for what is no name; of model/aside_fault.h kInUse, kLimit.
  Task<Result<SnapshotInfo>> create(std::string name);
  // How many rows were written. Fault: kNotFound.
  Task<Result<uint64_t>> roll_back(std::string name);
  // Fault: kNotFound.
  Task<Result<void>> remove(std::string name);

 private:
  struct One {
    SnapshotInfo info;
    storage::ChangeSet touched;  // since then
  };
  class Batch;
  class Copy;

  void rebuild();
  Task<Result<void>> read_infos(std::vector<std::string>& half);
  Task<Result<void>> erase_copy(const std::string& name);
  Task<Result<void>> copy_rows(Batch& batch, SnapshotInfo& info);
  Task<Result<void>> copy_logs(Batch& batch, SnapshotInfo& info);
  Task<Result<uint64_t>> restore(const std::string& name, const storage::ChangeSet& touched, bool begun);
  Task<Result<void>> restore_keys(Batch& batch, const Copy& copy, const std::vector<std::string>& keys);
  Task<Result<void>> restore_all(Batch& batch, const Copy& copy);
  Task<Result<void>> restore_log(const Copy& copy, const std::string& topic);
  Task<Result<bool>> is_log_same(const Copy& copy, const std::string& topic);
  Task<Result<std::vector<std::string>>> own_topics();
  // Of the database, in the store.
  storage::Range own_rows() const;
  storage::Key own_key(std::string bytes) const;

  storage::Engine& store_;
  const std::string space_;
  const Clock& clock_;
  const size_t batch_bytes_;
  const std::string rows_;    // what the database's keys begin with
  const std::string topics_;  // and its topics
  const std::string aside_;   // and those of its snapshots
  std::map<std::string, One, std::less<>> snapshots_;
  int64_t rolled_back_ms_ = 0;
  std::unique_ptr<storage::TrackingEngine> tracked_;
  std::unique_ptr<storage::Engine> view_;
  storage::Engine* engine_;
};

}  // namespace partita::table
