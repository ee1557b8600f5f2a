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
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/exposition.h"
#include "base/meter.h"
#include "table/rows/meters_kept.h"

namespace partita::table {
struct TableInfo;
}

namespace partita::ops {

struct Operation;
class Touched;

// Callable from any thread.
class TableMeters {
 public:
  // 3 KiB each, and 17 samples.
  static constexpr size_t kMost = 500;

  explicit TableMeters(size_t most = kMost);

  // The request counts with the table from now on, unless the operation is none on items. `space`: the namespace, or
  // empty.
  void touch(std::string_view space, const table::TableInfo& table, const Operation& operation, Touched& touched);
  void charge(std::string_view space, const table::TableInfo& table, const table::Capacity& consumed);

  void report(Exposition& out);

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

  void add(std::string_view space, const table::TableInfo& table, uint8_t place);
  void report_times(Exposition& out);
  void report_costs(Exposition& out);

  const size_t most_;
  std::vector<uint8_t> places_;               // by operation
  std::vector<const Operation*> operations_;  // by place
  std::mutex mutex_;
  Lines<CoarseTiming> times_;
  Lines<table::TableCosts> costs_;
};

// The tables that a request was let in to, each once: it counts with each of them.
class Touched {
 public:
  void took(uint64_t ns) const {
    each([&](const table::MetersKept& table) { return table.times(place_); },
         [&](CoarseTiming& times) { times.add(ns); });
  }
  void throttled() const {
    each([](const table::MetersKept& table) { return table.costs(); },
         [](table::TableCosts& costs) { costs.throttle(); });
  }

 private:
  friend class TableMeters;
  using Table = std::shared_ptr<table::MetersKept>;

  void add(const Table& table, uint8_t place) {
    if (first_ == table) return;
    if (first_ == nullptr) {
      first_ = table;
      place_ = place;
    } else {
      add_further(table);
    }
  }
  void add_further(const Table& table);

  // Calls `count` with each line that `find` finds, once.
  template <class Find, class Count>
  void each(Find find, Count count) const {
    if (first_ == nullptr) return;
    count(*find(*first_));
    for (size_t i = 0; i < further_.size(); ++i) {
      auto* const line = find(*further_[i]);
      bool again = find(*first_) == line;
      for (size_t j = 0; j < i; ++j) again = again || find(*further_[j]) == line;
      if (!again) count(*line);
    }
  }

  Table first_;
  std::vector<Table> further_;
  uint8_t place_ = 0;  // of the operation
};

}  // namespace partita::ops
