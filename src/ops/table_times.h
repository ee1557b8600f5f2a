// How long requests took by operation and table, so that it can be seen which table is slow.
//
// Of operations on items alone, and bounded whatever clients do: at most kMost pairs of an operation and a table have a
// line of their own, those that came first, all namespaces together. All other pairs share a line for each operation,
// of the table "(other)". A line goes with the table, or with the namespace when that is closed, and leaves its room to
// a pair that comes later; a pair that shares one goes on doing so.
//
// A request finds its line in the table's description (table::TimesKept), without a lock or a search.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/exposition.h"
#include "base/meter.h"

namespace partita::table {
struct TableInfo;
}

namespace partita::ops {

struct Operation;

// Callable from any thread.
class TableTimes {
 public:
  using Line = std::shared_ptr<CoarseTiming>;
  // 2 KiB each, and 14 samples.
  static constexpr size_t kMost = 500;

  explicit TableTimes(size_t most = kMost);

  // Null for an operation that is none on items. Valid as long as the description. `space`: the namespace, or empty.
  const Line* line_of(std::string_view space, const table::TableInfo& table, const Operation& operation);

  void report(Exposition& out);

 private:
  static constexpr uint8_t kNoPlace = UINT8_MAX;
  struct Entry {
    std::string space;
    std::string table;
    uint8_t place;
    std::weak_ptr<CoarseTiming> line;  // which the table's description holds
  };
  const Line* add(std::string_view space, const table::TableInfo& table, uint8_t place);
  void drop_old();

  const size_t most_;
  std::vector<uint8_t> places_;               // by operation
  std::vector<const Operation*> operations_;  // by place
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<Line> others_;  // by place; null: of no request yet
};

// The lines of the tables that a request was let in to, each once: it counts with each of them.
class Touched {
 public:
  void add(const TableTimes::Line& line) {
    if (first_ == line) return;
    if (first_ == nullptr) {
      first_ = line;
    } else {
      add_further(line);
    }
  }
  void took(uint64_t ns) const {
    if (first_ != nullptr) first_->add(ns);
    for (const TableTimes::Line& line : further_) line->add(ns);
  }

 private:
  void add_further(const TableTimes::Line& line);

  TableTimes::Line first_;
  std::vector<TableTimes::Line> further_;
};

}  // namespace partita::ops
