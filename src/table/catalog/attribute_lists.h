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
  // One for each id, with one read for all that are not in memory.
  Task<Result<std::vector<model::AttributeListPtr>>> find_all(std::vector<uint64_t> ids);

  // The list of these names, which is stored unless it is already. Its id depends on their order. Faults:
  // kEmptyAttributeName, kAttributeNameTooLong; kItemTooLarge if no item can have all these names; kDaxMalformed for a
  // name that is not UTF-8 or comes twice. Errors: those of Engine::transact().
  Task<Result<model::AttributeListPtr>> store(std::vector<std::string> names);
  // One for each of `lists`, with one read and one transaction for up to kMostAtOnce new ones of kBytesAtOnce together.
  // Faults and errors as above; some may be stored then.
  Task<Result<std::vector<model::AttributeListPtr>>> store_all(std::vector<std::vector<std::string>> lists);
  static constexpr size_t kMostAtOnce = 1024;
  static constexpr size_t kBytesAtOnce = size_t{1} << 20;

  // No two objects in this process have the same number: what a thread remembers of one database is not for another.
  uint64_t number() const { return number_; }
  // Of the lists in memory.
  size_t cached_bytes() const;

 private:
  struct Cached {
    model::AttributeListPtr list;
    size_t bytes;
  };

  // A list on its way to its id.
  struct Pending {
    size_t at;  // of its place in the result
    std::vector<std::string> names;
    uint64_t id;
    int tried = 0;
  };

  model::AttributeListPtr cached(uint64_t id);
  void cache(const model::AttributeListPtr& list);
  // Those that are new, with distinct ids, from the end of `pending`; the others are in `lists` afterwards, or stay.
  Task<Result<std::vector<Pending>>> take_new(std::vector<Pending>& pending,
                                              std::vector<model::AttributeListPtr>& lists);
  // False: another server has stored a list with one of the ids meanwhile, and none of these is stored.
  Task<Result<bool>> put(const std::vector<Pending>& lists);

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
