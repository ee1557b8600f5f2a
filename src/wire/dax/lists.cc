#include "wire/dax/lists.h"

#include <algorithm>
#include <utility>

namespace partita::wire::dax {

namespace {

constexpr size_t kListOverhead = 256;  // of a list and its places in the maps, about

size_t bytes_of(const model::AttributeList& list) {
  size_t bytes = kListOverhead + list.names.capacity() * sizeof(std::string);
  for (const auto& name : list.names) bytes += name.capacity();
  return bytes;
}

const model::AttributeListPtr kNoList;

}  // namespace

void MissingLists::add(uint64_t id) {
  if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
}

void MissingLists::add(std::span<const std::string_view> list) {
  if (digests.insert(model::list_digest(list)).second) names.emplace_back(list.begin(), list.end());
}

KnownLists::KnownLists(size_t max_lists, size_t max_bytes)
    : max_lists_(max_lists),
      max_bytes_(max_bytes),
      empty_(model::make_attribute_list(model::kEmptyAttributeList, {})),
      recent_(empty_) {}

const model::AttributeListPtr& KnownLists::find(uint64_t id) {
  if (recent_->id == id) return recent_;
  if (id == model::kEmptyAttributeList) return empty_;
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? kNoList : use(found->second);
}

const model::AttributeListPtr& KnownLists::find(std::span<const std::string_view> names) {
  if (names.empty()) return empty_;
  const auto [first, last] = by_digest_.equal_range(model::list_digest(names));
  for (auto it = first; it != last; ++it) {
    if (std::ranges::equal(it->second->list->names, names)) return use(it->second);
  }
  return kNoList;
}

void KnownLists::add(model::AttributeListPtr list) {
  put(std::move(list));
  evict(1);
}

void KnownLists::add(MissingLists& missing) {
  for (const auto& list : missing.loaded) put(list);
  evict(missing.loaded.size());
  missing.ids.clear();
  missing.names.clear();
  missing.digests.clear();
}

const model::AttributeListPtr& KnownLists::use(Position known) {
  lists_.splice(lists_.begin(), lists_, known);
  recent_ = known->list;
  return recent_;
}

void KnownLists::put(model::AttributeListPtr list) {
  if (list == nullptr || list->id == model::kEmptyAttributeList) return;
  if (const auto found = by_id_.find(list->id); found != by_id_.end()) {
    use(found->second);
    return;
  }
  const uint64_t digest = model::list_digest(std::span<const std::string>(list->names));
  const size_t bytes = bytes_of(*list);
  lists_.push_front({std::move(list), digest, bytes});
  const Position known = lists_.begin();
  by_id_.emplace(known->list->id, known);
  by_digest_.emplace(digest, known);
  bytes_ += bytes;
  recent_ = known->list;
}

void KnownLists::evict(size_t keep) {
  while (lists_.size() > keep && (lists_.size() > max_lists_ || bytes_ > max_bytes_)) {
    const Position oldest = std::prev(lists_.end());
    by_id_.erase(oldest->list->id);
    const auto [first, last] = by_digest_.equal_range(oldest->digest);
    by_digest_.erase(std::find_if(first, last, [&](const auto& entry) { return entry.second == oldest; }));
    bytes_ -= oldest->bytes;
    lists_.erase(oldest);
  }
}

}  // namespace partita::wire::dax
