// The catalogue: which tables there are. Stored as rows of table id 0, and kept in memory as immutable versions.
// A request takes the current version once and works with it to its end; whoever changes what an index row or an item
// is (a new index, a dropped table) waits until no request holds an older version.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "table/schema.h"

namespace partita::table {

class Catalog {
 public:
  explicit Catalog(storage::Engine& engine) : engine_(engine) {}

  // Reads all tables from the store. Call once, before anything else.
  Task<Result<void>> load();

  // The table of that name, whatever its status, or null. Callable from any thread.
  Table find(std::string_view name) const;
  // Up to `limit` names behind `after`, in byte order.
  std::vector<std::string> names(std::string_view after, size_t limit) const;
  std::vector<Table> all() const;

  // Stores a new table; its id is assigned here. Fault: kTableExists.
  Task<Result<Table>> create(TableInfo info);

  // Changes a table by a pure function of its newest version; what that refuses with is returned and nothing is
  // changed. Fault: kTableNotFound.
  using Change = std::function<Result<void>(TableInfo&)>;
  Task<Result<Table>> change(std::string name, Change change);

  // Removes the entry of that very table for good; a newer table of the same name stays.
  Task<Result<void>> remove(Table table);

  // The counters of all tables, written at a clean stop and taken back, once, by load(). A table whose counters were
  // not stored then is uncounted until mark_counted(); its counters are not stored before that.
  Task<Result<void>> store_tallies();
  bool is_uncounted(const TableInfo& table) const;
  void mark_counted(const TableInfo& table);

  // True while a request holds a version of that table older than `table`.
  bool older_in_use(const TableInfo& table) const;

 private:
  enum class Published : uint8_t { kNew, kChanged };
  void publish(const Table& table, Published what);
  Task<Result<void>> take_tallies();

  storage::Engine& engine_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, Table, std::less<>> tables_;
  std::vector<std::weak_ptr<const TableInfo>> superseded_;
  std::set<uint32_t> uncounted_;
};

}  // namespace partita::table
