#include "table/catalog/attribute_lists.h"

#include <algorithm>
#include <atomic>
#include <optional>
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
  if (id == model::kEmptyAttributeList) co_return empty_;
  if (id == 0 || id >= model::kAttributeListIds) co_return AttributeListPtr();
  if (AttributeListPtr known = cached(id)) co_return known;
  co_return co_await read(id);
}

Task<Result<AttributeListPtr>> AttributeLists::store(std::vector<std::string> names) {
  if (names.empty()) co_return empty_;
  PARTITA_CO_TRY_VOID(check_names(names));
  uint64_t id = model::list_digest(names);
  for (int tried = 0; tried < kMostTried;) {
    AttributeListPtr found = cached(id);
    if (found == nullptr) {
      PARTITA_CO_TRY(found, co_await read(id));
    }
    if (found != nullptr) {
      if (found->names == names) co_return found;
      id = model::next_list_id(id);
      ++tried;
      continue;
    }
    PARTITA_CO_TRY(const bool stored, co_await put(id, names));
    if (!stored) continue;
    found = model::make_attribute_list(id, std::move(names));
    cache(found);
    co_return found;
  }
  co_return Error(ErrorKind::kUnavailable, "Too many attribute lists have the same hash.");
}

Task<Result<AttributeListPtr>> AttributeLists::read(uint64_t id) {
  const std::vector<storage::Key> keys{attribute_list_key(id)};
  auto read = co_await engine_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  if (!records[0]) co_return AttributeListPtr();
  PARTITA_CO_TRY(AttributeListPtr list, attribute_list_from(id, records[0]->value));
  cache(list);
  co_return list;
}

Task<Result<bool>> AttributeLists::put(uint64_t id, const std::vector<std::string>& names) {
  const storage::Decide write = [&](std::span<const storage::Record* const>, storage::Changes& changes) {
    put_twice(attribute_list_key(id), attribute_list_row(names), changes);
    return storage::Decision::kCommit;
  };
  std::vector<storage::Key> none;
  std::vector<storage::Compare> compare{{attribute_list_key(id), std::nullopt}};
  auto outcome = co_await engine_.transact(std::move(none), std::move(compare), write);
  PARTITA_CO_TRY(const storage::Outcome done, std::move(outcome));
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
