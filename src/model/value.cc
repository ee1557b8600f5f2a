#include "model/value.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

namespace partita::model {

namespace {

template <class Member>
void make_distinct(std::vector<Member>& members) {
  const auto in_order = [](const Member& a, const Member& b) { return !(a < b); };
  if (std::adjacent_find(members.begin(), members.end(), in_order) == members.end()) return;
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
}

}  // namespace

AttributeMap::AttributeMap() noexcept = default;
AttributeMap::AttributeMap(AttributeMap&&) noexcept = default;
AttributeMap& AttributeMap::operator=(AttributeMap&&) noexcept = default;
AttributeMap::AttributeMap(const AttributeMap&) = default;
AttributeMap& AttributeMap::operator=(const AttributeMap&) = default;
AttributeMap::~AttributeMap() = default;

std::vector<AttributeMap::Entry>::iterator AttributeMap::position(std::string_view name) {
  return std::lower_bound(entries_.begin(), entries_.end(), name,
                          [](const Entry& entry, std::string_view wanted) { return entry.name < wanted; });
}

const AttributeValue* AttributeMap::find(std::string_view name) const {
  return const_cast<AttributeMap*>(this)->find(name);
}

AttributeValue* AttributeMap::find(std::string_view name) {
  constexpr size_t kFew = 8;  // are looked through faster than halved
  if (entries_.size() <= kFew) {
    for (Entry& entry : entries_) {
      if (entry.name == name) return &entry.value;
    }
    return nullptr;
  }
  const auto at = position(name);
  return at != entries_.end() && at->name == name ? &at->value : nullptr;
}

AttributeValue& AttributeMap::set(std::string name, AttributeValue value) {
  if (entries_.empty() || entries_.back().name < name) {
    return entries_.emplace_back(std::move(name), std::move(value)).value;
  }
  const auto at = position(name);
  if (at->name == name) return at->value = std::move(value);
  return entries_.insert(at, Entry{std::move(name), std::move(value)})->value;
}

bool AttributeMap::erase(std::string_view name) {
  const auto at = position(name);
  if (at == entries_.end() || at->name != name) return false;
  entries_.erase(at);
  return true;
}

AttributeMap AttributeMap::of(std::vector<Entry> entries) {
  const auto in_order = [](const Entry& a, const Entry& b) { return !(a.name < b.name); };
  AttributeMap map;
  map.entries_ = std::move(entries);
  if (std::ranges::adjacent_find(map.entries_, in_order) == map.entries_.end()) return map;
  std::ranges::stable_sort(map.entries_, std::ranges::less(), &Entry::name);
  // From the back, so that the last of each name stays.
  const auto doubles = std::unique(map.entries_.rbegin(), map.entries_.rend(),
                                   [](const Entry& a, const Entry& b) { return a.name == b.name; });
  map.entries_.erase(map.entries_.begin(), doubles.base());
  return map;
}

void AttributeMap::merge(AttributeMap other) {
  if (other.empty()) return;
  std::vector<Entry> merged;
  merged.reserve(size() + other.size());
  auto mine = entries_.begin();
  for (Entry& added : other.entries_) {
    while (mine != entries_.end() && mine->name < added.name) merged.push_back(std::move(*mine++));
    if (mine != entries_.end() && mine->name == added.name) ++mine;
    merged.push_back(std::move(added));
  }
  std::move(mine, entries_.end(), std::back_inserter(merged));
  entries_ = std::move(merged);
}

void AttributeMap::erase_all(const std::vector<std::string_view>& names) {
  if (names.empty()) return;
  PARTITA_CHECK(std::ranges::is_sorted(names));
  auto name = names.begin();
  std::erase_if(entries_, [&](const Entry& entry) {
    while (name != names.end() && *name < entry.name) ++name;
    return name != names.end() && *name == entry.name;
  });
}

bool AttributeMap::operator==(const AttributeMap& other) const { return entries_ == other.entries_; }

std::string_view type_name(Type type) {
  constexpr std::array<std::string_view, 10> kNames = {"S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"};
  const auto index = static_cast<size_t>(type);
  PARTITA_CHECK(index < kNames.size());
  return kNames[index];
}

AttributeValue AttributeValue::string_set(std::vector<std::string> members) {
  make_distinct(members);
  return AttributeValue(StringSet{std::move(members)});
}

AttributeValue AttributeValue::number_set(std::vector<Number> members) {
  make_distinct(members);
  return AttributeValue(NumberSet{std::move(members)});
}

AttributeValue AttributeValue::binary_set(std::vector<std::string> members) {
  make_distinct(members);
  return AttributeValue(BinarySet{std::move(members)});
}

std::strong_ordering compare_scalars(const AttributeValue& a, const AttributeValue& b) {
  PARTITA_CHECK(a.type() == b.type());
  if (a.is(Type::kN)) return a.as_number() <=> b.as_number();
  return a.as_bytes() <=> b.as_bytes();
}

int nesting_depth(const AttributeValue& value) {
  int deepest = 0;
  if (value.is(Type::kM)) {
    for (const auto& [name, member] : value.as_map()) deepest = std::max(deepest, nesting_depth(member));
  } else if (value.is(Type::kL)) {
    for (const AttributeValue& member : value.as_list()) deepest = std::max(deepest, nesting_depth(member));
  } else {
    return 0;
  }
  return deepest + 1;
}

}  // namespace partita::model
