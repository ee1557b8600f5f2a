#include "model/attribute_list.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/bytes.h"

namespace partita::model {

namespace {

constexpr uint64_t kFirstId = kEmptyAttributeList + 1;

// One hash64() of few bytes can be inverted, so that anybody could make lists that take the id of another. With two,
// one of them at another alignment, only a search finds such names.
uint64_t digest_of(const auto& names) {
  if (names.empty()) return kEmptyAttributeList;
  std::string bytes(1, '\0');
  for (const auto& name : names) append_sized(bytes, name);
  std::string both;
  append_u64(both, hash64(std::string_view(bytes).substr(1)));
  append_u64(both, hash64(bytes));
  const uint64_t low = hash64(both) & (kAttributeListIds - 1);
  return low < kFirstId ? low + kFirstId : low;
}

}  // namespace

AttributeListPtr make_attribute_list(uint64_t id, std::vector<std::string> names) {
  auto list = std::make_shared<AttributeList>();
  list->id = id;
  list->sorted = std::ranges::is_sorted(names, std::ranges::less{});
  list->names = std::move(names);
  return list;
}

uint64_t list_digest(std::span<const std::string> names) { return digest_of(names); }
uint64_t list_digest(std::span<const std::string_view> names) { return digest_of(names); }

uint64_t next_list_id(uint64_t id) { return id + 1 < kAttributeListIds ? id + 1 : kFirstId; }

}  // namespace partita::model
