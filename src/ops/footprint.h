// The names in a request, and the tables that it was admitted to. Metrics, traces, the audit log and the log of
// requests read them here, so none of them parses a body.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "table/rows/meters_kept.h"

namespace partita::ops {

class TableMeters;

// For one request, and one thread at a time.
class RequestFootprint {
 public:
  // Adds a table, stream or other resource as the request names it, by name or ARN. Empty names are ignored.
  void name(std::string resource) {
    if (resource.empty()) return;
    if (named_.empty()) {
      named_ = std::move(resource);
    } else {
      further_named_.push_back(std::move(resource));
    }
  }
  // The names in the order of the request; none if its body could not be parsed.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    if (!named_.empty()) all.push_back(named_);
    all.insert(all.end(), further_named_.begin(), further_named_.end());
    return all;
  }

  // The namespace in the body of one of Partita's own calls, which may differ from that of the header; absent: none.
  std::optional<std::string> space;

  // Items that a Query or Scan returns.
  void returned(uint64_t items) { returned_ = returned_.value_or(0) + static_cast<int64_t>(items); }

  // Counts the request and its time for each of its tables, in their metrics for the operation.
  void took(uint64_t ns, table::Failure failure = table::Failure::kNone) const {
    each([&](const table::MetersKept& table) { return table.times(place_); },
         [&](table::OperationMeters& line) {
           line.add(ns, failure);
           if (returned_ && failure == table::Failure::kNone) line.returned.add(*returned_);
         });
    if (failure == table::Failure::kNone || failure >= table::Failure::kOfCaller) return;
    each([](const table::MetersKept& table) { return table.costs(); },
         [&](table::TableCosts& costs) {
           if (failure == table::Failure::kThrottled) costs.throttle();
           if (failure == table::Failure::kConditionFailed) costs.fail_condition();
           if (failure == table::Failure::kConflict) costs.meet_conflict();
         });
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

  std::string named_;
  std::vector<std::string> further_named_;
  Table first_;
  std::vector<Table> further_;
  uint8_t place_ = 0;  // of the operation
  std::optional<int64_t> returned_;
};

}  // namespace partita::ops
