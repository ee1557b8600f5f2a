#include "throttle/reservations.h"

#include <algorithm>

#include "model/key.h"

namespace partita::throttle {

namespace {

using table::Access;
using table::IndexInfo;
using table::TableInfo;

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

Shortage shortage_of(const IndexInfo* payer, bool write, TableCapacity& capacity, const TableCapacity::Taken& taken) {
  const bool provisioned = capacity.bucket(write).limit() == model::ThroughputLimit::kProvisioned;
  return {payer, write, capacity.limit_of(write, taken), provisioned, taken.wait_ns};
}

}  // namespace

Reservations::More& Reservations::more() {
  if (more_ == nullptr) more_ = std::make_unique<More>();
  return *more_;
}

std::optional<Shortage> Reservations::refused(const Access& access, const TableCapacity::Taken& taken) {
  const IndexInfo* const payer = payer_of(access);
  const bool write = is_write(access);
  TableCapacity& capacity = limits_.of(space_, *access.table, payer, now_ns_);
  const bool enforced = capacity.enforces();
  limits_.count(space_, *access.table, payer, write,
                enforced ? std::optional(capacity.limit_of(write, taken)) : std::nullopt);
  if (enforced) return shortage_of(payer, write, capacity, taken);
  add(capacity, nullptr, kNothing, write);
  return std::nullopt;
}

void Reservations::settle(const Access& access, const api::ConsumedCapacity& consumed, int64_t now_ns) {
  if (charged_ == made_) return;
  now_ns_ = now_ns;
  const Made& made = at(charged_++);
  if (made.half_units == kNothing) return;
  api::Capacity units = units_of(consumed, payer_of(access));
  if (made.write && !consumed.global_indexes.empty() && !charge_indexes(access, consumed, now_ns)) units = {};
  const model::HalfUnits own = made.write ? units.write : units.read;
  if (own != made.half_units) {
    made.capacity->settle(made.write, *made.partition, access.position, own - made.half_units, now_ns);
  }
  // A transaction that was carried out before is charged as a read.
  const model::HalfUnits other = made.write ? units.read : units.write;
  if (other != 0) [[unlikely]]
    made.capacity->settle(!made.write, *made.partition, access.position, other, now_ns);
}

void Reservations::give_back() {
  for (; charged_ < made_; ++charged_) {
    const Made& made = at(charged_);
    if (made.half_units <= 0) continue;
    made.capacity->settle(made.write, *made.partition, {}, -made.half_units, now_ns_);
  }
  made_ = charged_ = 0;
  rows_ = next_row_ = 0;
  more_.reset();
}

void Reservations::add_row(const IndexRow& row) {
  if (rows_ < few_rows_.size()) {
    few_rows_[rows_++] = row;
    return;
  }
  std::vector<IndexRow>& all = more().index_rows;
  if (rows_ == few_rows_.size()) all.assign(few_rows_.begin(), few_rows_.end());
  all.push_back(row);
  ++rows_;
}

void Reservations::forget_rows(const char* item) {
  const std::span<IndexRow> rows = index_rows();
  const auto forgotten = std::ranges::remove(rows, item, &IndexRow::item);
  const size_t left = rows.size() - forgotten.size();
  if (left > few_rows_.size()) {
    more_->index_rows.resize(left);
  } else if (rows_ > few_rows_.size()) {
    std::copy_n(rows.begin(), left, few_rows_.begin());
  }
  rows_ = static_cast<uint32_t>(left);
}

std::span<const Reservations::IndexRow> Reservations::next_index_rows(const char* item) {
  const auto is_its = [&](const IndexRow& row) { return row.item == item; };
  const std::span<const IndexRow> rows = index_rows();
  auto begin =
      std::find_if(rows.begin() + static_cast<ptrdiff_t>(std::min<size_t>(next_row_, rows.size())), rows.end(), is_its);
  if (begin == rows.end()) begin = std::ranges::find_if(rows, is_its);
  const auto end = std::find_if_not(begin, rows.end(), is_its);
  next_row_ = static_cast<uint32_t>(end - rows.begin());
  return {begin, end};
}

bool Reservations::charge_indexes(const Access& access, const api::ConsumedCapacity& consumed, int64_t now_ns) {
  const std::span<const IndexRow> rows = next_index_rows(access.position.data());
  const auto refused = std::ranges::find(rows, nullptr, &IndexRow::partition);
  if (refused != rows.end()) {
    limits_.count(space_, *access.table, refused->index, true, std::nullopt);
    return false;
  }
  for (const auto& [name, units] : consumed.global_indexes) {
    const IndexInfo* const index = access.table->find_index(name);
    limits_.of(space_, *access.table, index, now_ns).bucket(true).tokens.charge(now_ns, units.write);
    auto parts = std::ranges::count(rows, index, &IndexRow::index);
    model::HalfUnits left = units.write;
    for (const IndexRow& row : rows) {
      if (row.index != index) continue;
      row.partition->charge(AccessKind::kWrite, left / parts, now_ns);
      left -= left / parts--;
    }
  }
  return true;
}

TableCapacity::Taken Reservations::look(const table::IndexChange& change, const IndexInfo& index,
                                        TableCapacity& capacity, int64_t now_ns) {
  TableCapacity::Taken taken = capacity.look(true, now_ns);
  const model::HalfUnits units = change.consumed.global_indexes.find(index.name)->second.write;
  for (const storage::Changes::Write& row : change.rows) {
    if (taken.wait_ns > 0) break;
    std::string_view bytes = row.key.bytes;
    const auto place = model::take_row_place(bytes);
    if (!place || place->table_id != change.table.id || place->index_id != index.id) continue;
    taken = capacity.look_at_writes(table::row_position(row.key), units, now_ns);
    if (taken.wait_ns == 0) add_row({change.position.data(), &index, taken.partition});
  }
  return taken;
}

std::optional<Shortage> Reservations::index_shortage(const table::IndexChange& change, int64_t now_ns) {
  // An engine may evaluate a write again.
  forget_rows(change.position.data());
  for (const auto& [name, units] : change.consumed.global_indexes) {
    const IndexInfo* const index = change.table.find_index(name);
    TableCapacity& capacity = limits_.of(space_, change.table, index, now_ns);
    const TableCapacity::Taken taken = look(change, *index, capacity, now_ns);
    if (taken.wait_ns == 0) continue;
    if (capacity.enforces()) {
      limits_.count(space_, change.table, index, true, capacity.limit_of(true, taken));
      return shortage_of(index, true, capacity, taken);
    }
    add_row({change.position.data(), index, nullptr});
  }
  return std::nullopt;
}

void Reservations::note_index_keys(const table::IndexChange& change) {
  std::vector<IndexKey>& keys = more().index_keys;
  std::erase_if(keys, [&](const IndexKey& key) { return key.item == change.position.data(); });
  for (const storage::Changes::Write& row : change.rows) {
    std::string_view bytes = row.key.bytes;
    const auto place = model::take_row_place(bytes);
    if (!place || place->table_id != change.table.id) continue;
    const auto index = std::ranges::find(change.table.indexes, place->index_id, &IndexInfo::id);
    if (index == change.table.indexes.end() || !index->is_global_secondary()) continue;
    keys.push_back({change.position.data(), &*index, std::string(table::row_position(row.key))});
  }
}

}  // namespace partita::throttle
