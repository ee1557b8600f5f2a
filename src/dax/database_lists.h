// The attribute lists that a thread knows, of each database that its connections use: the same id may mean another list
// in another namespace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "wire/dax/lists.h"

namespace partita::dax {

// For one thread.
class DatabaseLists {
 public:
  using Lists = std::shared_ptr<wire::dax::KnownLists>;

  // `database`: table::AttributeLists::number(). The reference is valid until the next call; copy the pointer to keep
  // the lists.
  const Lists& of(uint64_t database) {
    if (known_.empty() || known_.back().database != database) use(database);
    return known_.back().lists;
  }

 private:
  static constexpr size_t kMaxDatabases = 8;

  struct Known {
    uint64_t database;
    Lists lists;
  };

  // Moves it to the end, and drops the least recently used one if there are too many.
  void use(uint64_t database) {
    const auto found = std::ranges::find(known_, database, &Known::database);
    if (found != known_.end()) {
      std::rotate(found, found + 1, known_.end());
      return;
    }
    if (known_.size() == kMaxDatabases) known_.erase(known_.begin());
    known_.push_back({database, std::make_shared<wire::dax::KnownLists>()});
  }

  std::vector<Known> known_;  // the most recently used one is last
};

}  // namespace partita::dax
