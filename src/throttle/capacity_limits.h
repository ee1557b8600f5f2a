// The capacity of all tables of a server, and the numbers of requests that met the end of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/exposition.h"
#include "base/mutex.h"
#include "model/fault_detail.h"
#include "table/rows/schema.h"
#include "throttle/table_capacity.h"

namespace partita::throttle {

// The mode of tables without a tag that says otherwise.
struct CapacityModes {
  CapacityMode server = CapacityMode::kRecord;
  std::map<std::string, CapacityMode, std::less<>> namespaces;  // those with another one

  CapacityMode of(std::string_view space) const {
    const auto found = namespaces.find(space);
    return found == namespaces.end() ? server : found->second;
  }
};

// A name and the numbers of its events since the table was first used.
struct ThrottleEvents {
  std::string space;  // the namespace, or empty
  std::string table;  // "(other)": all tables and indexes without a line of their own
  std::string index;  // empty: the table itself
  struct Of {
    uint64_t read = 0;
    uint64_t write = 0;
    Of& operator+=(const Of& other) {
      read += other.read;
      write += other.write;
      return *this;
    }
  };
  std::array<Of, model::kThroughputLimits> refused;  // by ThroughputLimit
  Of recorded;

  Of all_refused() const;
};

// The capacity of all tables of a server, of all its namespaces. Callable from any thread.
class CapacityLimits {
 public:
  // More tables and indexes than this share one line of events.
  static constexpr size_t kMost = 500;

  explicit CapacityLimits(CapacityModes modes, size_t most = kMost) : modes_(std::move(modes)), most_(most) {}
  explicit CapacityLimits(CapacityMode mode, size_t most = kMost) : CapacityLimits(CapacityModes{mode, {}}, most) {}

  // Valid as long as the description. `space`: the namespace, or empty. `index`: a global one of the table, or null.
  TableCapacity& of(std::string_view space, const table::TableInfo& table, const table::IndexInfo* index,
                    int64_t now_ns) {
    table::Limits* const kept = (index == nullptr ? table.limits : index->limits)->get();
    auto* const capacity = static_cast<TableCapacity*>(kept);
    if (capacity != nullptr && capacity->is_of(table)) [[likely]]
      return *capacity;
    return refreshed(space, table, index, now_ns);
  }

  // The share of this server in the capacity of the namespace's tables: everything, until someone changes it. One as
  // long as anyone has it, which tables do.
  std::shared_ptr<CapacityShare> share_of(std::string_view space);
  // Whether the mode of the table is enforce.
  bool enforces(std::string_view space, const table::TableInfo& table) const;

  // Counts a request, or a part of one, that was refused for this limit; nullopt: that would have been refused.
  void count(std::string_view space, const table::TableInfo& table, const table::IndexInfo* index, bool write,
             std::optional<model::ThroughputLimit> refused);
  // Of tables and indexes that had events, in no order.
  std::vector<ThrottleEvents> events();
  // `now_ns`: monotonic.
  void report(Exposition& out, int64_t now_ns);

 private:
  struct Line {
    std::string space;
    std::string table;
    std::string index;
    std::weak_ptr<table::LimitsKept> limits;
  };

  TableCapacity& refreshed(std::string_view space, const table::TableInfo& table, const table::IndexInfo* index,
                           int64_t now_ns);
  // False: it shares the line of all others.
  bool list(std::string_view space, const table::TableInfo& table, const table::IndexInfo* index)
      PARTITA_REQUIRES(mutex_);

  const CapacityModes modes_;
  const size_t most_;
  Mutex mutex_;
  std::map<std::string, std::weak_ptr<CapacityShare>, std::less<>> shares_ PARTITA_GUARDED_BY(mutex_);
  std::vector<Line> lines_ PARTITA_GUARDED_BY(mutex_);
  ThrottleEvents others_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::throttle
