// The attribute lists that one thread knows, and those that a call still needs. Decoders and encoders never wait: they
// note what is unknown here, the caller loads it, and calls them again.
//
//   MissingLists missing;
//   if (const auto& list = lists.find(id)) { ... } else { missing.add(id); }
//   ...
//   missing.loaded.push_back(co_await ...);  // one for each of missing.ids and missing.names
//   lists.add(missing);                      // then decode or encode again
//
// For one thread.
#pragma once

#include <cstdint>
#include <list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/attribute_list.h"

namespace partita::wire::dax {

struct MissingLists {
  std::vector<uint64_t> ids;                    // distinct
  std::vector<std::vector<std::string>> names;  // distinct
  std::set<uint64_t> digests;                   // of the names
  // What the call has loaded so far, also in earlier rounds.
  std::vector<model::AttributeListPtr> loaded;

  bool empty() const { return ids.empty() && names.empty(); }
  void add(uint64_t id);
  // Of two lists with one digest only the first is added; the second is missing again in the next round.
  void add(std::span<const std::string_view> list);
};

class KnownLists {
 public:
  static constexpr size_t kMaxLists = 1024;
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  explicit KnownLists(size_t max_lists = kMaxLists, size_t max_bytes = kMaxBytes);
  KnownLists(const KnownLists&) = delete;
  KnownLists& operator=(const KnownLists&) = delete;

  // Null: unknown. The empty list is always known. The reference is valid until the next call; copy the pointer to keep
  // the list.
  const model::AttributeListPtr& find(uint64_t id);
  // Exactly these names in this order.
  const model::AttributeListPtr& find(std::span<const std::string_view> names);
  // The list that was found or added last; never null. A guess at the list of the next item.
  const model::AttributeListPtr& recent() const { return recent_; }

  // The least recently used lists are evicted if there are too many.
  void add(model::AttributeListPtr list);
  // Adds what was loaded, clears the ids and names, and evicts only other lists: afterwards all that the call has
  // loaded is known until the next call of this thread adds lists. So a call comes to its end, however many lists it
  // needs.
  void add(MissingLists& missing);

  size_t size() const { return lists_.size(); }

 private:
  struct Known {
    model::AttributeListPtr list;
    uint64_t digest;
    size_t bytes;
  };
  using Position = std::list<Known>::iterator;

  const model::AttributeListPtr& use(Position known);
  void put(model::AttributeListPtr list);
  void evict(size_t keep);

  const size_t max_lists_;
  const size_t max_bytes_;
  size_t bytes_ = 0;
  std::list<Known> lists_;  // the most recently used one is first
  std::unordered_map<uint64_t, Position> by_id_;
  std::unordered_multimap<uint64_t, Position> by_digest_;
  model::AttributeListPtr empty_;
  model::AttributeListPtr recent_;
};

}  // namespace partita::wire::dax
