// Times and capacity of requests for items, by table.
//
// The memory is bounded. At most kMost pairs of operation and table have times of their own, and at most kMost tables
// have costs of their own, over all namespaces, the first ones. All others share one line for each operation, under the
// table "(other)". A line is freed when its table is dropped or its namespace closed; a table that comes later may then
// have one. A table that shares a line keeps sharing it.
//
// A request finds its lines in the table's description (table::MetersKept), without a lock or a search.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/exposition.h"
#include "base/function_ref.h"
#include "base/mutex.h"
#include "ops/request_totals.h"
#include "table/rows/meters_kept.h"
#include "throttle/hot_keys.h"

namespace partita::table {
struct TableInfo;
}

namespace partita::ops {

struct Operation;
class RequestFootprint;

// Callable from any thread.
class TableMeters {
 public:
  // 3 KiB each, and 17 samples.
  static constexpr size_t kMost = 500;
  static constexpr size_t kMostWatched = 16;

  explicit TableMeters(size_t most = kMost);

  // Notes in `footprint` that the request counts for the table, if the operation is one on items. `space`: the
  // namespace, or empty.
  void touch(std::string_view space, const table::TableInfo& table, const Operation& operation,
             RequestFootprint& footprint);
  // Counts consumed capacity, for the table and for its global indexes. True: the table's keys are watched, so call
  // count_key() too.
  bool charge(std::string_view space, const table::TableInfo& table, const api::ConsumedCapacity& consumed);
  // The usual case of charge(). False: nothing was counted.
  bool charge_unwatched(const table::TableInfo& table, const api::ConsumedCapacity& consumed);

  // The keys with the largest share of the table's capacity, at most `most`. The table's keys are watched from the
  // first call on, until there was no call for throttle::HotKeys::kKeptUpNs, or kMostWatched other tables are watched.
  throttle::HotKeys::Top hot_keys(std::string_view space, const table::TableInfo& table, size_t most, int64_t now_ns);
  void count_key(const table::TableInfo& table, std::string_view key, model::HalfUnits units, int64_t now_ns);

  void report(Exposition& out);
  // The numbers of report(), for all tables that had requests.
  std::vector<TableTotals> totals();

  // Those lines of a table that it shares with no other. Null: there are none.
  table::TableCosts* own_costs(const table::TableInfo& table);
  // Calls `visit` with each operation on items that has a line of the table's own.
  void each_operation(const table::TableInfo& table,
                      FunctionRef<void(const Operation& operation, table::OperationMeters& line)> visit);

 private:
  static constexpr uint8_t kNoPlace = UINT8_MAX;
  using Of = std::tuple<std::string, std::string, uint8_t>;  // namespace, table, place

  // Lines of one kind.
  template <class Line>
  struct Lines {
    struct Entry {
      Of of;
      std::weak_ptr<Line> line;  // which the table's description holds
    };
    std::shared_ptr<Line> add(Of of, size_t most);
    // A table and its dropped predecessor of the same name may both have a line for a moment.
    std::map<Of, std::vector<std::shared_ptr<Line>>> all();
    void drop_old();
    bool are_shared(const Line* line) const;

    std::vector<Entry> entries;
    std::map<uint8_t, std::shared_ptr<Line>> others;  // by place, once there was a request
  };

  struct Watch {
    std::weak_ptr<table::MetersKept> table;
    std::shared_ptr<throttle::HotKeys> keys;
  };

  void add(std::string_view space, const table::TableInfo& table, uint8_t place);
  // Null: the table's keys are not watched.
  std::shared_ptr<throttle::HotKeys> watch_of(const table::TableInfo& table) PARTITA_REQUIRES(mutex_);
  void make_room() PARTITA_REQUIRES(mutex_);
  void report_times(Exposition& out);
  void report_costs(Exposition& out);

  const size_t most_;
  std::vector<uint8_t> places_;               // by operation
  std::vector<const Operation*> operations_;  // by place
  Mutex mutex_;
  Lines<table::OperationMeters> times_ PARTITA_GUARDED_BY(mutex_);
  Lines<table::TableCosts> costs_ PARTITA_GUARDED_BY(mutex_);
  std::vector<Watch> watches_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::ops
