#include "table/catalog/attribute_lists.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/limits.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using model::AttributeListPtr;
using model::Fault;
using model::refuse;

constexpr uint8_t kFormat = 1;
// How many lists may compete for an id; hashes of 52 bits do so only if somebody makes them.
constexpr int kMostTried = 64;

std::atomic<uint64_t> last_number{0};

Error damaged_list(uint64_t id) {
  return Error(ErrorKind::kCorrupt, "The attribute list " + std::to_string(id) + " is damaged.");
}

// Of a list in memory, with its place in the cache.
size_t bytes_of(const model::AttributeList& list) {
  constexpr size_t kAround = 256;
  constexpr size_t kInside = 16;  // what a std::string has room for
  size_t bytes = kAround + list.names.capacity() * sizeof(std::string);
  for (const std::string& name : list.names) bytes += name.size() < kInside ? 0 : name.capacity();
  return bytes;
}

// Sorts views of the names, so it takes no more than a sort for any number of them.
bool are_distinct(const std::vector<std::string>& names) {
  std::vector<std::string_view> sorted(names.begin(), names.end());
  if (!std::ranges::is_sorted(sorted)) std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

// An item of 400 KB has names of 400 KB at most, since values without a size exist.
Result<void> check_names(const std::vector<std::string>& names) {
  size_t bytes = 0;
  for (const std::string& name : names) {
    if (name.empty()) return refuse(Fault::kEmptyAttributeName);
    if (name.size() > model::kMaxAttributeNameBytes) return refuse(Fault::kAttributeNameTooLong);
    if (!is_utf8(name)) return refuse(Fault::kDaxMalformed, {"an attribute name is not UTF-8"});
    bytes += name.size();
    if (bytes > model::kMaxItemBytes) return refuse(Fault::kItemTooLarge);
  }
  if (!are_distinct(names)) return refuse(Fault::kDaxMalformed, {"an attribute list has a name twice"});
  return {};
}

bool may_have(uint64_t id, uint64_t digest) {
  for (int tried = 0; tried < kMostTried; ++tried) {
    if (digest == id) return true;
    digest = model::next_list_id(digest);
  }
  return false;
}

}  // namespace

storage::Key attribute_list_key(uint64_t id) {
  std::string rest;
  append_u64(rest, id);
  return system_key(SystemRow::kNames, rest);
}

uint64_t attribute_list_id(std::string_view rest) {
  const std::optional<uint64_t> id = take_u64(rest);
  return rest.empty() ? id.value_or(0) : 0;
}

std::string attribute_list_row(const std::vector<std::string>& names) {
  std::string row(1, static_cast<char>(kFormat));
  for (const std::string& name : names) append_sized(row, name);
  return row;
}

Result<AttributeListPtr> attribute_list_from(uint64_t id, std::string_view row) {
  if (take_u8(row) != kFormat) return damaged_list(id);
  std::vector<std::string> names;
  while (!row.empty()) {
    const std::optional<std::string_view> name = take_sized(row);
    if (!name) return damaged_list(id);
    names.emplace_back(*name);
  }
  if (names.empty() || !check_names(names).ok() || !may_have(id, model::list_digest(names))) return damaged_list(id);
  names.shrink_to_fit();
  return model::make_attribute_list(id, std::move(names));
}

AttributeLists::AttributeLists(storage::Engine& engine, size_t cache_bytes)
    : engine_(engine),
      cache_bytes_(cache_bytes),
      number_(last_number.fetch_add(1, std::memory_order_relaxed) + 1),
      empty_(model::make_attribute_list(model::kEmptyAttributeList, {})) {}

Task<Result<AttributeListPtr>> AttributeLists::find(uint64_t id) {
  std::vector<uint64_t> ids{id};
  PARTITA_CO_TRY(std::vector<AttributeListPtr> found, co_await find_all(std::move(ids)));
  co_return std::move(found[0]);
}

Task<Result<std::vector<AttributeListPtr>>> AttributeLists::find_all(std::vector<uint64_t> ids) {
  std::vector<AttributeListPtr> found(ids.size());
  std::vector<storage::Key> keys;
  std::vector<size_t> places;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == model::kEmptyAttributeList) {
      found[i] = empty_;
    } else if (ids[i] != 0 && ids[i] < model::kAttributeListIds) {
      found[i] = cached(ids[i]);
      if (found[i] != nullptr) continue;
      keys.push_back(attribute_list_key(ids[i]));
      places.push_back(i);
    }
  }
  if (keys.empty()) co_return found;
  PARTITA_CO_TRY(const auto records, co_await engine_.read(keys));
  for (size_t i = 0; i < places.size(); ++i) {
    if (!records[i]) continue;
    AttributeListPtr& list = found[places[i]];
    PARTITA_CO_TRY(list, attribute_list_from(ids[places[i]], records[i]->value));
    cache(list);
  }
  co_return found;
}

Task<Result<AttributeListPtr>> AttributeLists::store(std::vector<std::string> names) {
  std::vector<std::vector<std::string>> lists;
  lists.push_back(std::move(names));
  PARTITA_CO_TRY(std::vector<AttributeListPtr> stored, co_await store_all(std::move(lists)));
  co_return std::move(stored[0]);
}

Task<Result<std::vector<AttributeListPtr>>> AttributeLists::store_all(std::vector<std::vector<std::string>> lists) {
  std::vector<AttributeListPtr> stored(lists.size(), empty_);
  std::vector<Pending> pending;
  for (size_t i = lists.size(); i-- > 0;) {
    if (lists[i].empty()) continue;
    PARTITA_CO_TRY_VOID(check_names(lists[i]));
    const uint64_t id = model::list_digest(lists[i]);
    pending.push_back({i, std::move(lists[i]), id});
  }
  while (!pending.empty()) {
    PARTITA_CO_TRY(std::vector<Pending> fresh, co_await take_new(pending, stored));
    if (fresh.empty()) continue;
    PARTITA_CO_TRY(const bool done, co_await put(fresh));
    for (Pending& one : fresh) {
      if (done) {
        stored[one.at] = model::make_attribute_list(one.id, std::move(one.names));
        cache(stored[one.at]);
      } else {
        pending.push_back(std::move(one));
      }
    }
  }
  co_return stored;
}

Task<Result<std::vector<AttributeLists::Pending>>> AttributeLists::take_new(std::vector<Pending>& pending,
                                                                            std::vector<AttributeListPtr>& lists) {
  std::vector<Pending> looked_at;
  std::vector<uint64_t> ids;
  std::unordered_set<uint64_t> taken;
  size_t bytes = 0;
  std::vector<Pending> same_id;  // as one that is looked at: they wait until that one is stored
  while (!pending.empty() && looked_at.size() < kMostAtOnce && bytes < kBytesAtOnce) {
    Pending one = std::move(pending.back());
    pending.pop_back();
    if (!taken.insert(one.id).second) {
      same_id.push_back(std::move(one));
      continue;
    }
    for (const std::string& name : one.names) bytes += name.size() + 2;
    ids.push_back(one.id);
    looked_at.push_back(std::move(one));
  }
  std::ranges::move(same_id, std::back_inserter(pending));
  PARTITA_CO_TRY(const std::vector<AttributeListPtr> found, co_await find_all(std::move(ids)));
  std::vector<Pending> fresh;
  for (size_t i = 0; i < looked_at.size(); ++i) {
    Pending& one = looked_at[i];
    if (found[i] == nullptr) {
      fresh.push_back(std::move(one));
    } else if (found[i]->names == one.names) {
      lists[one.at] = found[i];
    } else if (++one.tried == kMostTried) {
      co_return Error(ErrorKind::kUnavailable, "Too many attribute lists have the same hash.");
    } else {
      one.id = model::next_list_id(one.id);
      pending.push_back(std::move(one));
    }
  }
  co_return fresh;
}

Task<Result<bool>> AttributeLists::put(const std::vector<Pending>& lists) {
  const storage::Decide write = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    for (const Pending& one : lists) put_twice(attribute_list_key(one.id), attribute_list_row(one.names), changes);
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> none;
  std::vector<storage::Compare> compare;
  for (const Pending& one : lists) compare.push_back({attribute_list_key(one.id), std::nullopt});
  PARTITA_CO_TRY(const storage::Outcome done, co_await engine_.transact(std::move(none), std::move(compare), write));
  co_return done == storage::Outcome::kCommitted;
}

AttributeListPtr AttributeLists::cached(uint64_t id) {
  const MutexLock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  lists_.splice(lists_.begin(), lists_, found->second);
  return found->second->list;
}

void AttributeLists::cache(const AttributeListPtr& list) {
  const size_t bytes = bytes_of(*list);
  if (bytes > cache_bytes_) return;
  const MutexLock lock(mutex_);
  if (by_id_.contains(list->id)) return;
  lists_.push_front({list, bytes});
  by_id_.emplace(list->id, lists_.begin());
  bytes_ += bytes;
  while (bytes_ > cache_bytes_) {
    bytes_ -= lists_.back().bytes;
    by_id_.erase(lists_.back().list->id);
    lists_.pop_back();
  }
}

size_t AttributeLists::cached_bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace partita::table
