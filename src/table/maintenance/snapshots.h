// Snapshots of a database, which test suites roll back to any number of times.
//
// A snapshot is a copy of all rows and logs in the same store. A rollback writes only what differs; changes since the
// snapshot are tracked while the process runs. An operation of several transactions sets a mark in the store first and
// erases it last; recover() completes it after a crash. The next table id is not rolled back.
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

// The snapshots of one database. For one thread at a time. The database must not be in use, except during engine() and
// const functions.
class Snapshots {
 public:
  // The snapshot of an interrupted rollback, which recover() completes. Empty: there is none. Error: kCorrupt if that
  // snapshot is missing.
  static Task<Result<std::string>> begun_rollback(storage::Engine& store, std::string space);
  // The number of snapshots of a database, including incomplete ones.
  static Task<Result<uint64_t>> count(storage::Engine& store, std::string space);

  // `space`: a namespace; empty: the store's own database. Store and clock outlive this. `batch_bytes`: the size of one
  // transaction.
  Snapshots(storage::Engine& store, std::string space, const Clock& clock, size_t batch_bytes = size_t{8} << 20);
  ~Snapshots();

  // Call this first, and after an error of any other function. Reads the list and completes interrupted operations.
  Task<Result<void>> recover();
  // The engine to open the database on. Valid until one of the functions below succeeds.
  storage::Engine& engine() { return *engine_; }
  // Shard iterators older than this are invalid since a rollback; 0: none.
  int64_t iterators_from_ms() const;
  // When the database was last rolled back; 0: never.
  int64_t rolled_back_ms() const { return rolled_back_ms_; }

  std::vector<SnapshotInfo> list() const;
  // Faults: kConstraints for an invalid name; kInUse and kLimit of model/aside_fault.h.
  Task<Result<SnapshotInfo>> create(std::string name);
  // The number of rows written. Fault: kNotFound.
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
