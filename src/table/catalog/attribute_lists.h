// The attribute lists of a database (model/attribute_list.h): rows that never change and are never erased, so that an
// id means the same on every server of the store, after a restart and in copies. docs/formats/catalogue.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/task.h"
#include "model/attribute_list.h"
#include "storage/engine.h"

namespace partita::table {

// The row of a list. Names are distinct, and as DynamoDB limits them.
storage::Key attribute_list_key(uint64_t id);
std::string attribute_list_row(const std::vector<std::string>& names);
// Error: kCorrupt, also if that list cannot have that id.
Result<model::AttributeListPtr> attribute_list_from(uint64_t id, std::string_view row);
// The id in what follows the letter in a row's key. 0: there is none.
uint64_t attribute_list_id(std::string_view rest);

// Callable from any thread. Keeps the lists that were used last in memory.
class AttributeLists {
 public:
  static constexpr size_t kCacheBytes = size_t{8} << 20;

  // The engine outlives it.
  explicit AttributeLists(storage::Engine& engine, size_t cache_bytes = kCacheBytes);

  // Null: no list has that id. Errors: those of Engine::read().
  Task<Result<model::AttributeListPtr>> find(uint64_t id);

  // The list of these names, which is stored unless it is already. Its id depends on their order. Faults:
  // kEmptyAttributeName, kAttributeNameTooLong; kItemTooLarge if no item can have all these names; kDaxMalformed for a
  // name that is not UTF-8 or comes twice. Errors: those of Engine::transact().
  Task<Result<model::AttributeListPtr>> store(std::vector<std::string> names);

  // No two objects in this process have the same number: what a thread remembers of one database is not for another.
  uint64_t number() const { return number_; }
  // Of the lists in memory.
  size_t cached_bytes() const;

 private:
  struct Cached {
    model::AttributeListPtr list;
    size_t bytes;
  };

  model::AttributeListPtr cached(uint64_t id);
  void cache(const model::AttributeListPtr& list);
  // The stored list of that id, or null.
  Task<Result<model::AttributeListPtr>> read(uint64_t id);
  // False: another server has stored a list with that id meanwhile.
  Task<Result<bool>> put(uint64_t id, const std::vector<std::string>& names);

  storage::Engine& engine_;
  const size_t cache_bytes_;
  const uint64_t number_;
  const model::AttributeListPtr empty_;
  mutable Mutex mutex_;
  std::list<Cached> lists_ PARTITA_GUARDED_BY(mutex_);  // the most recently used one is first
  std::unordered_map<uint64_t, std::list<Cached>::iterator> by_id_ PARTITA_GUARDED_BY(mutex_);
  size_t bytes_ PARTITA_GUARDED_BY(mutex_) = 0;
};

}  // namespace partita::table
