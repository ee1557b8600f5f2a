// Finds the records of the memory engine by whole keys, without a walk down its tree: a table of hashes with linear
// probing.
//
// For one thread at a time; any number may find at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "storage/engine.h"

namespace partita {

class RecordIndex {
 public:
  using Records = std::map<std::string, storage::Record, std::less<>>;
  using Entry = Records::value_type;

  // Null: there is none of that key.
  Entry* find(std::string_view key) const;
  // Room for one more insert(). Throws std::bad_alloc without effect.
  void make_room();
  // Preconditions: make_room() since the last insert(), and no entry of that key. The entry stays where it is until it
  // is erased here.
  void insert(Records::iterator at) noexcept;
  // The place in the tree of the entry that was erased. Precondition: there is one of that key.
  Records::iterator erase(std::string_view key) noexcept;
  // Gives memory back if there is room for many times the entries; nothing happens if there is none to move them with.
  void shrink() noexcept;
  // Including the empty ones; each takes 16 bytes.
  size_t slots() const { return slots_.size(); }

 private:
  static constexpr size_t kLeastSlots = 64;

  struct Slot {
    uint64_t hash = 0;  // 0: an empty slot
    Records::iterator at;
  };
  static uint64_t hash_of(std::string_view key);
  size_t home_of(uint64_t hash) const { return hash & (slots_.size() - 1); }
  size_t after(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  // The slot of the key, or the empty one where it would be. Precondition: there are slots.
  size_t slot_of(std::string_view key, uint64_t hash) const;
  void place(const Slot& slot) noexcept;
  // Precondition: a third of them will be empty. Throws std::bad_alloc without effect.
  void resize(size_t slots);

  std::vector<Slot> slots_;  // their number is 0 or a power of two; at least a third is unused
  size_t count_ = 0;
};

}  // namespace partita
