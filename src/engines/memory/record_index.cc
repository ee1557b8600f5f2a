#include "engines/memory/record_index.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"

namespace partita {

uint64_t RecordIndex::hash_of(std::string_view key) { return std::max<uint64_t>(hash64(key), 1); }

size_t RecordIndex::slot_of(std::string_view key, uint64_t hash) const {
  size_t slot = home_of(hash);
  while (slots_[slot].hash != 0 && (slots_[slot].hash != hash || slots_[slot].at->first != key)) slot = after(slot);
  return slot;
}

RecordIndex::Entry* RecordIndex::find(std::string_view key) const {
  if (slots_.empty()) return nullptr;
  const Slot& slot = slots_[slot_of(key, hash_of(key))];
  return slot.hash == 0 ? nullptr : &*slot.at;
}

void RecordIndex::make_room() {
  if ((count_ + 1) * 3 > slots_.size() * 2) resize(std::max(kLeastSlots, slots_.size() * 2));
}

void RecordIndex::shrink() noexcept {
  const size_t enough = std::max(kLeastSlots, std::bit_ceil(count_ * 2));
  if (slots_.size() < 4 * enough) return;
  try {
    resize(enough);
  } catch (const std::bad_alloc&) {
    return;
  }
}

void RecordIndex::resize(size_t slots) {
  std::vector<Slot> before(slots);
  before.swap(slots_);
  for (const Slot& slot : before) {
    if (slot.hash != 0) place(slot);
  }
}

void RecordIndex::place(const Slot& slot) noexcept {
  size_t empty = home_of(slot.hash);
  while (slots_[empty].hash != 0) empty = after(empty);
  slots_[empty] = slot;
}

void RecordIndex::insert(Records::iterator at) noexcept {
  place({hash_of(at->first), at});
  ++count_;
}

RecordIndex::Records::iterator RecordIndex::erase(std::string_view key) noexcept {
  size_t hole = slot_of(key, hash_of(key));
  PARTITA_CHECK(slots_[hole].hash != 0);
  const Records::iterator erased = slots_[hole].at;
  // What follows moves up, unless it would be before its home then.
  for (size_t next = after(hole); slots_[next].hash != 0; next = after(next)) {
    const size_t from_home = (next - home_of(slots_[next].hash)) & (slots_.size() - 1);
    const size_t from_hole = (next - hole) & (slots_.size() - 1);
    if (from_home >= from_hole) slots_[std::exchange(hole, next)] = slots_[next];
  }
  slots_[hole] = Slot();
  --count_;
  return erased;
}

}  // namespace partita
