#include "throttle/reservations.h"

#include <utility>

namespace partita::throttle {

namespace {

using table::Access;
using table::IndexInfo;
using table::TableInfo;
using table::Verb;

bool is_write(Verb verb) {
  return verb == Verb::kPut || verb == Verb::kUpdate || verb == Verb::kDelete || verb == Verb::kCheck;
}

// Searches of vectors are not measured in units.
bool takes_units(const Access& access) {
  return access.table != nullptr && access.verb != Verb::kSearch && access.verb != Verb::kControl;
}

// The index that pays; null: the table does.
const IndexInfo* payer_of(const Access& access) {
  return access.index != nullptr && access.index->is_global_secondary() ? access.index : nullptr;
}

api::Capacity units_of(const api::ConsumedCapacity& consumed, const IndexInfo* payer) {
  api::Capacity units = consumed.base;
  if (!consumed.local_indexes.empty()) [[unlikely]] {
    for (const auto& [name, of_index] : consumed.local_indexes) units += of_index;
  }
  if (payer == nullptr) [[likely]]
    return units;
  for (const auto& [name, of_index] : consumed.global_indexes) units += of_index;
  return units;
}

TableCapacity& capacity_in(const table::LimitsKept& kept) { return static_cast<TableCapacity&>(*kept.get()); }

}  // namespace

void Reservations::add(const TableInfo& table, const IndexInfo* index, bool write, model::HalfUnits half_units) {
  Made& made = made_ == 0 ? first_ : more_.emplace_back();
  made.kept = index == nullptr ? table.limits : index->limits;
  made.write = write;
  made.half_units = half_units;
  ++made_;
}

std::optional<Shortage> Reservations::reserve(const Access& access, model::HalfUnits least, int64_t now_ns) {
  if (!takes_units(access)) return std::nullopt;
  now_ns_ = now_ns;
  const bool write = is_write(access.verb);
  const IndexInfo* const payer = payer_of(access);
  TableCapacity& capacity = limits_.of(*access.table, payer, now_ns);
  int64_t wait_ns = 0;
  if (capacity.take(write, now_ns, least, wait_ns)) [[likely]] {
    add(*access.table, payer, write, least);
    return std::nullopt;
  }
  const bool refused = capacity.enforces();
  limits_.count(space_, *access.table, payer, write, refused);
  if (refused) return Shortage{payer, write, capacity.bucket(write).limit(), wait_ns};
  add(*access.table, payer, write, kNothing);
  return std::nullopt;
}

void Reservations::charge(const Access& access, const api::ConsumedCapacity& consumed, int64_t now_ns) {
  if (charged_ == made_) return;
  now_ns_ = now_ns;
  const Made& made = at(charged_++);
  if (made.half_units == kNothing) return;
  const IndexInfo* const payer = payer_of(access);
  TableCapacity& capacity = capacity_in(*made.kept);
  api::Capacity units = units_of(consumed, payer);
  if (made.write && !consumed.global_indexes.empty() && !charge_indexes(*access.table, consumed, now_ns)) units = {};
  const model::HalfUnits own = made.write ? units.write : units.read;
  if (own != made.half_units) capacity.bucket(made.write).tokens.charge(now_ns, own - made.half_units);
  // A transaction that was carried out before is charged as a read.
  const model::HalfUnits other = made.write ? units.read : units.write;
  if (other != 0) [[unlikely]]
    capacity.bucket(!made.write).tokens.charge(now_ns, other);
}

void Reservations::give_back() {
  for (; charged_ < made_; ++charged_) {
    const Made& made = at(charged_);
    if (made.half_units <= 0) continue;
    capacity_in(*made.kept).bucket(made.write).tokens.charge(now_ns_, -made.half_units);
  }
  made_ = charged_ = 0;
  more_.clear();
}

bool Reservations::charge_indexes(const TableInfo& table, const api::ConsumedCapacity& consumed, int64_t now_ns) {
  int64_t wait_ns = 0;
  for (const auto& [name, units] : consumed.global_indexes) {
    const IndexInfo* const index = table.find_index(name);
    TableCapacity& capacity = limits_.of(table, index, now_ns);
    if (capacity.enforces() || capacity.has_any(true, now_ns, wait_ns)) continue;
    limits_.count(space_, table, index, true, false);
    return false;
  }
  for (const auto& [name, units] : consumed.global_indexes) {
    limits_.of(table, table.find_index(name), now_ns).bucket(true).tokens.charge(now_ns, units.write);
  }
  return true;
}

std::optional<Shortage> Reservations::index_shortage(const TableInfo& table, const api::ConsumedCapacity& consumed,
                                                     int64_t now_ns) const {
  for (const auto& [name, units] : consumed.global_indexes) {
    const IndexInfo* const index = table.find_index(name);
    TableCapacity& capacity = limits_.of(table, index, now_ns);
    int64_t wait_ns = 0;
    if (!capacity.enforces() || capacity.has_any(true, now_ns, wait_ns)) continue;
    limits_.count(space_, table, index, true, true);
    return Shortage{index, true, capacity.bucket(true).limit(), wait_ns};
  }
  return std::nullopt;
}

}  // namespace partita::throttle
