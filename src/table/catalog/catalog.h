// The catalogue of tables. The store has a row for each; this is a cache of immutable descriptions.
//
// A request uses one description until it ends. A write compares the description's version in its own transaction
// (items/commit.h), and is bound again if it is outdated. A read may use a description that is as old as the interval
// between calls of look_again(); the rows of a dropped table or index are erased later than that.
//
// For every table, (id, revision) grows with each change; the cache never goes back. Callable from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "table/rows/account_rows.h"
#include "table/rows/schema.h"

namespace partita::table {

class Catalog {
 public:
  // `origin` is unique to this object among all that ever open the store. Each description gets those of `row_makers`
  // that apply to it; a catalogue whose descriptions are not used to write items needs none. `follower` is notified of
  // each check of the store, and may be null. All outlive the catalogue.
  Catalog(storage::Engine& engine, const Clock& clock, uint64_t origin, std::vector<const RowMaker*> row_makers,
          AccountFollower* follower = nullptr)
      : engine_(engine), clock_(clock), origin_(origin), row_makers_(std::move(row_makers)), follower_(follower) {}

  // Reads the catalogue again if it has changed, and notifies the follower.
  Task<Result<void>> look_again();
  // The start of the last check, on the monotonic clock.
  int64_t looked_at_ns() const { return looked_at_ns_.load(std::memory_order_relaxed); }

  // The cached description, in any status, or null.
  Table find(std::string_view name) const;
  // The description in the store, or null.
  Task<Result<Table>> look_up(std::string name);
  std::vector<Table> all() const;
  // Grows whenever a cached description is entered, replaced or removed.
  uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  // Up to `limit` names after `after`, in byte order, from the store.
  Task<Result<std::vector<std::string>>> names(std::string after, size_t limit);

  // Writes in the transaction that stores a new table.
  using ExtraWrites = std::function<void(const TableInfo& table, storage::Changes& changes)>;
  // Stores a new table; its id is assigned here. Null: an earlier table of the name has a stream of the same label.
  // Fault: kTableExists.
  Task<Result<Table>> create(TableInfo info, ExtraWrites extra = nullptr);

  // Changes a table by a pure function of its newest description. An error of the function is returned, and nothing is
  // changed. The jobs that the change makes necessary are stored with it. A table that becomes kDeleting leaves the
  // catalogue; its last description is returned. Faults: kTableNotFound, kTableOfNewerVersion.
  using Change = std::function<Result<void>(TableInfo&)>;
  // A write in the same transaction; it sees the record of `key` and the new description. False: nothing is changed.
  struct AttachedWrite {
    storage::Key key;
    std::function<bool(const storage::Record* found, const TableInfo& table, storage::Changes& changes)> apply;
  };
  // Error: kConflict, if the attached write returned false.
  Task<Result<Table>> change(std::string name, Change change, const AttachedWrite* attached = nullptr);

  // Removes the row of exactly that table; a newer table of the same name stays. Error: kConflict, as above.
  Task<Result<void>> forget(Table table, const AttachedWrite& attached);

  // Starts the count of an index's rows. Called in a change; see rows/counts.h.
  static void start_counting(TableInfo& table, uint16_t index_id);
  // Fault: kTableOfNewerVersion, if the table has features that this build does not know.
  static Result<void> check_features(const TableInfo& table);

 private:
  struct Attempt;
  storage::Decision attempt(Attempt& one, std::span<const storage::Record* const> found, storage::Changes& changes);
  struct Published {
    Table table;
    bool entered = true;
  };
  // Enters the description unless a newer one is cached. A table that is not cached is entered only if no table was
  // removed since `removals` was read: it may be the removed one.
  Published publish(TableInfo info, storage::Version version, uint64_t removals);
  uint64_t removals() const;
  void remove(const TableInfo& table);
  void saw_revision(uint64_t before, uint64_t after);
  Task<Result<bool>> read_all();
  Task<Result<uint32_t>> least_id();

  storage::Engine& engine_;
  const Clock& clock_;
  const uint64_t origin_;
  const std::vector<const RowMaker*> row_makers_;
  AccountFollower* const follower_;
  std::atomic<int64_t> looked_at_ns_{0};
  std::atomic<uint64_t> changes_{0};
  mutable SharedMutex mutex_;
  std::map<std::string, Table, std::less<>> tables_ PARTITA_GUARDED_BY(mutex_);
  uint64_t revision_ PARTITA_GUARDED_BY(mutex_) = 0;  // of the catalogue, as it was last read
  bool loaded_ PARTITA_GUARDED_BY(mutex_) = false;
  uint64_t removals_ PARTITA_GUARDED_BY(mutex_) = 0;  // counts removals, and possible ones
  uint32_t slot_groups_ PARTITA_GUARDED_BY(mutex_) = 0;
  std::atomic<uint32_t> least_id_{0};  // the lowest id for a new table; 0: not known yet
};

// The key of a table's row in the catalogue.
storage::Key table_key(std::string_view name);

}  // namespace partita::table
