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

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/capacity.h"
#include "table/catalog/access.h"
#include "throttle/capacity_limits.h"

namespace partita::throttle {

// What an access lacks.
struct Shortage {
  const table::IndexInfo* index = nullptr;  // a global one, or null for the table
  bool write = false;
  model::ThroughputLimit limit = model::ThroughputLimit::kProvisioned;
  bool provisioned = false;  // the table is; for kKeyRange, which limits tables on demand too
  int64_t wait_ns = 0;       // until the level is above zero
};

// For one request, and one thread at a time. Limits, namespace and the tables of accesses outlive it, or its next
// give_back().
class Reservations {
 public:
  Reservations(CapacityLimits& limits, std::string_view space) : limits_(limits), space_(space) {}
  Reservations(const Reservations&) = delete;
  Reservations& operator=(const Reservations&) = delete;
  ~Reservations() {
    if (charged_ != made_) give_back();
  }

  // Reserves the least that the access may cost. Absent: done. Otherwise nothing was reserved.
  std::optional<Shortage> reserve(const table::Access& access, model::HalfUnits least, int64_t now_ns) {
    const TableCapacity::Taken taken = take(access, least, now_ns);
    return taken.wait_ns == 0 ? std::nullopt : refused(access, taken);
  }
  // The first part of reserve(). If its wait is not 0, call refused() next.
  [[gnu::always_inline]] TableCapacity::Taken take(const table::Access& access, model::HalfUnits least,
                                                   int64_t now_ns) {
    // Searches of vectors are not measured in units.
    if (access.table == nullptr || access.verb >= table::Verb::kSearch) [[unlikely]]
      return {};
    now_ns_ = now_ns;
    const bool write = is_write(access);
    TableCapacity& capacity = limits_.of(space_, *access.table, payer_of(access), now_ns);
    const TableCapacity::Taken taken = capacity.take(write, access.position, least, now_ns);
    if (taken.wait_ns == 0) [[likely]]
      add(capacity, taken.partition, least, write);
    return taken;
  }
  // The shortage if the table enforces; else the access is counted and needs no charge.
  std::optional<Shortage> refused(const table::Access& access, const TableCapacity::Taken& taken);

  // Charges the accesses that were reserved, in their order, until one of them failed.
  void charge(const table::Access& access, const api::ConsumedCapacity& consumed, int64_t now_ns) {
    if (!is_paid(consumed)) settle(access, consumed, now_ns);
  }
  // The usual case of charge(). False: nothing was done, call settle().
  bool is_paid(const api::ConsumedCapacity& consumed) {
    if (made_ != 1 || charged_ != 0 || !is_all(first_, consumed)) [[unlikely]]
      return false;
    charged_ = 1;
    return true;
  }
  void settle(const table::Access& access, const api::ConsumedCapacity& consumed, int64_t now_ns);
  // Gives back what was not charged.
  void give_back();

  // The first global index without write units, or without those of the partition of one of its rows, that the write
  // changes. Only where the mode is enforce, else absent. Takes nothing; charge() takes from the partitions that the
  // last call for the item has found.
  std::optional<Shortage> index_shortage(const table::IndexChange& change, int64_t now_ns);

  // A row of a global index that a write changes, for those who count its keys.
  struct IndexKey {
    const char* item = nullptr;  // where the position of the written item is
    const table::IndexInfo* index = nullptr;
    std::string position;
  };
  // Notes the rows, as the last call for the item has them.
  void note_index_keys(const table::IndexChange& change);
  std::span<const IndexKey> index_keys() const {
    return more_ == nullptr ? std::span<const IndexKey>() : more_->index_keys;
  }

 private:
  static constexpr model::HalfUnits kNothing = -1;  // would have been refused
  struct Made {
    TableCapacity* capacity = nullptr;
    Partition* partition = nullptr;
    model::HalfUnits half_units = 0;
    bool write = false;
  };
  // A row of a global index that a write changes.
  struct IndexRow {
    const char* item = nullptr;  // where the position of the written item is
    const table::IndexInfo* index = nullptr;
    Partition* partition = nullptr;  // null: the write would have been refused for the index
  };

  // Where a request has several. Most have one item, and few index rows.
  struct More {
    std::vector<Made> made;            // after the first
    std::vector<IndexRow> index_rows;  // all, if there are more than few_rows_ has room for
    std::vector<IndexKey> index_keys;
  };

  static bool is_write(const table::Access& access) {
    return access.verb >= table::Verb::kPut && access.verb <= table::Verb::kCheck;
  }
  // The index that pays; null: the table does.
  static const table::IndexInfo* payer_of(const table::Access& access) {
    return access.index != nullptr && access.index->is_global_secondary() ? access.index : nullptr;
  }
  // Whether the access has cost what was reserved and nothing else.
  static bool is_all(const Made& made, const api::ConsumedCapacity& consumed) {
    const model::HalfUnits own = made.write ? consumed.base.write : consumed.base.read;
    return own == made.half_units && own == consumed.base.total() && consumed.local_indexes.empty() &&
           consumed.global_indexes.empty();
  }
  Made& at(size_t i) { return i == 0 ? first_ : more_->made[i - 1]; }
  [[gnu::always_inline]] void add(TableCapacity& capacity, Partition* partition, model::HalfUnits half_units,
                                  bool write) {
    if (made_++ == 0) [[likely]] {
      first_ = {&capacity, partition, half_units, write};
    } else {
      more().made.push_back({&capacity, partition, half_units, write});
    }
  }
  More& more();
  // Notes the partitions of the rows. Its wait is not 0: one of them, or the index, refuses the write.
  TableCapacity::Taken look(const table::IndexChange& change, const table::IndexInfo& index, TableCapacity& capacity,
                            int64_t now_ns);
  void add_row(const IndexRow& row);
  std::span<IndexRow> index_rows() {
    return rows_ <= few_rows_.size() ? std::span(few_rows_).first(rows_) : std::span(more_->index_rows);
  }
  void forget_rows(const char* item);
  // Those of an item are adjacent, and mostly in the order of charge().
  std::span<const IndexRow> next_index_rows(const char* item);
  // False: one of them would have refused the write, and nothing was charged.
  bool charge_indexes(const table::Access& access, const api::ConsumedCapacity& consumed, int64_t now_ns);

  CapacityLimits& limits_;
  const std::string_view space_;
  Made first_;
  std::unique_ptr<More> more_;  // null until needed
  uint32_t made_ = 0;
  uint32_t charged_ = 0;  // of those
  uint32_t rows_ = 0;     // of indexes
  uint32_t next_row_ = 0;
  std::array<IndexRow, 2> few_rows_;
  int64_t now_ns_ = 0;  // of the last call
};

}  // namespace partita::throttle
