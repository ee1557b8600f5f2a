// What requests for items took and cost by table, so that it can be seen which table is slow, dear or throttled.
//
// Bounded whatever clients do: at most kMost pairs of an operation and a table have a line of times of their own, and
// at most kMost tables one of costs, those that came first, all namespaces together. All others share a line, one for
// each operation, of the table "(other)". A line goes with the table, or with the namespace when that is closed, and
// leaves its room to one that comes later; who shares one goes on doing so.
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
#include "base/meter.h"
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

  // The request counts with the table from now on, unless the operation is none on items. `space`: the namespace, or
  // empty.
  void touch(std::string_view space, const table::TableInfo& table, const Operation& operation,
             RequestFootprint& footprint);
  // True: the table's keys are watched, and count_key() is to be called.
  bool charge(std::string_view space, const table::TableInfo& table, const api::Capacity& consumed);

  // The keys that take most of the table's capacity. They are watched from the first call on, until nobody has called
  // for throttle::HotKeys::kKeptUpNs, or kMostWatched other tables are.
  throttle::HotKeys::Top hot_keys(std::string_view space, const table::TableInfo& table, size_t most, int64_t now_ns);
  void count_key(const table::TableInfo& table, std::string_view key, model::HalfUnits units, int64_t now_ns);

  void report(Exposition& out);
  // What report() tells, of all tables that have had requests.
  std::vector<TableTotals> totals();

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
    // A table and the one of the same name before it may both be here for a moment.
    std::map<Of, std::vector<std::shared_ptr<Line>>> all();
    void drop_old();

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
  Lines<CoarseTiming> times_ PARTITA_GUARDED_BY(mutex_);
  Lines<table::TableCosts> costs_ PARTITA_GUARDED_BY(mutex_);
  std::vector<Watch> watches_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::ops
