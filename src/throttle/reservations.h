// The capacity that one request reserves before it runs, and pays for afterwards.
//
//   Reservations capacity(limits, "");
//   if (const auto shortage = capacity.reserve(access, least, now_ns)) return refusal(*shortage);
//   consumed = run();
//   capacity.charge(access, consumed, now_ns);
//
// What was reserved and never charged is given back. In the mode record nothing is refused: an access that would have
// been is counted and costs nothing, as if the client had been refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "api/capacity.h"
#include "table/catalog/access.h"
#include "throttle/table_capacity.h"

namespace partita::throttle {

// What an access lacks.
struct Shortage {
  const table::IndexInfo* index = nullptr;  // a global one, or null for the table
  bool write = false;
  model::ThroughputLimit limit = model::ThroughputLimit::kProvisioned;
  int64_t wait_ns = 0;  // until the level is above zero
};

// For one request, and one thread at a time. Limits and namespace outlive it.
class Reservations {
 public:
  Reservations(CapacityLimits& limits, std::string_view space) : limits_(limits), space_(space) {}
  Reservations(const Reservations&) = delete;
  Reservations& operator=(const Reservations&) = delete;
  ~Reservations() {
    if (charged_ != made_) give_back();
  }

  // Reserves the least that the access may cost. Absent: done. Otherwise nothing was reserved.
  std::optional<Shortage> reserve(const table::Access& access, model::HalfUnits least, int64_t now_ns);
  // Charges the accesses that were reserved, in their order, until one of them failed.
  void charge(const table::Access& access, const api::ConsumedCapacity& consumed, int64_t now_ns);
  // Gives back what was not charged.
  void give_back();

  // The first global index without write units that a write of this cost would write to. Only where the mode is
  // enforce, else absent. Takes nothing. Callable from any thread.
  std::optional<Shortage> index_shortage(const table::TableInfo& table, const api::ConsumedCapacity& consumed,
                                         int64_t now_ns) const;

 private:
  static constexpr model::HalfUnits kNothing = -1;  // would have been refused
  struct Made {
    std::shared_ptr<table::LimitsKept> kept;  // the table may be dropped meanwhile
    bool write = false;
    model::HalfUnits half_units = 0;
  };

  Made& at(size_t i) { return i == 0 ? first_ : more_[i - 1]; }
  void add(const table::TableInfo& table, const table::IndexInfo* index, bool write, model::HalfUnits half_units);
  // False: one of them would have refused the write, and nothing was charged.
  bool charge_indexes(const table::TableInfo& table, const api::ConsumedCapacity& consumed, int64_t now_ns);

  CapacityLimits& limits_;
  const std::string_view space_;
  Made first_;
  std::vector<Made> more_;
  size_t made_ = 0;
  size_t charged_ = 0;  // of those
  int64_t now_ns_ = 0;  // of the last call
};

}  // namespace partita::throttle
