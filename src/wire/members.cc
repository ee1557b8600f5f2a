#include "wire/members.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "wire/name_rules.h"
#include "wire/type_check.h"

namespace partita::wire {
namespace {

using Kind = JsonValue::Kind;

// Where the shape has the member of that name.
size_t slot_of(const Shape& shape, std::string_view name) {
  for (size_t i = 0; i < shape.members.size(); ++i) {
    const std::string_view known = shape.members[i].name;
    if (known.size() == name.size() && known.back() == name.back() && known == name) return i;
  }
  return kNoSlot;
}

bool fits_value(const JsonValue& value, const Shape& shape);

bool within(const Shape& shape, int64_t measured) { return measured >= shape.min && measured <= shape.max; }

bool is_unbounded(const Shape& shape) { return shape.min == Shape::kNoMin && shape.max == Shape::kNoMax; }

bool fits_table_name(std::string_view name, TableNameRule rule) {
  if (is_arn(name)) return true;
  const size_t least = rule == TableNameRule::kItems ? 1 : 3;
  return name.size() >= least && name.size() <= 255 && is_name(name);
}

bool fits_string(const JsonValue& value, const Shape& shape) {
  if (!value.is(Kind::kString)) return false;
  const std::string_view text = value.as_string();
  if (shape.table_name != TableNameRule::kNone) return fits_table_name(text, shape.table_name);
  if (!is_unbounded(shape) && !within(shape, length_of(text))) return false;
  if (shape.name_pattern && !is_name(text)) return false;
  return shape.values.empty() || std::ranges::find(shape.values, text) != shape.values.end();
}

bool fits_number(const JsonValue& value, const Shape& shape) {
  if (!value.is(Kind::kInteger) && (!value.is(Kind::kDecimal) || shape.whole)) return false;
  return is_unbounded(shape) || within(shape, value.as_integer());
}

bool fits_list(const JsonValue& list, const Shape& shape) {
  if (!list.is(Kind::kArray)) return false;
  if (!is_unbounded(shape) && !within(shape, static_cast<int64_t>(list.size()))) return false;
  for (const JsonValue element : list.elements()) {
    if (!fits_value(element, *shape.element)) return false;
  }
  return true;
}

bool fits_key(std::string_view key, const Shape& shape) {
  return is_arn(key) || (is_name(key) && within(shape, length_of(key)));
}

bool fits_map(const JsonValue& map, const Shape& shape) {
  if (!map.is(Kind::kObject)) return false;
  if (!is_unbounded(shape) && !within(shape, static_cast<int64_t>(map.size()))) return false;
  for (const auto [name, value] : map.members()) {
    if (shape.key != nullptr && !fits_key(name, *shape.key)) return false;
    if (!fits_value(value, *shape.element)) return false;
  }
  return true;
}

// Calls keep(slot, value) for each member that the shape knows.
template <class Keep>
bool fits_structure(const JsonValue& structure, const Shape& shape, Keep keep) {
  if (!structure.is(Kind::kObject)) return false;
  uint32_t seen = 0;
  uint32_t present = 0;
  bool fit = true;
  for (const auto [name, value] : structure.members()) {
    const size_t slot = slot_of(shape, name);
    if (slot == kNoSlot) continue;
    keep(slot, value);
    const uint32_t bit = uint32_t{1} << slot;
    fit = fit && (seen & bit) == 0 && (!value.present() || fits_value(value, *shape.members[slot].shape));
    seen |= bit;
    if (value.present()) present |= bit;
  }
  return fit && (shape.required & ~present) == 0;
}

bool fits_value(const JsonValue& value, const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::kStructure:
      return fits_structure(value, shape, [](size_t, const JsonValue&) {});
    case ShapeKind::kList:
      return fits_list(value, shape);
    case ShapeKind::kMap:
      return fits_map(value, shape);
    case ShapeKind::kString:
      return fits_string(value, shape);
    case ShapeKind::kInteger:
    case ShapeKind::kLong:
    case ShapeKind::kDouble:
      return fits_number(value, shape);
    case ShapeKind::kBoolean:
      return value.is(Kind::kBoolean);
    case ShapeKind::kBlob:
      return value.present() && is_blob(value);
    case ShapeKind::kAttributeValue:
      return is_attribute_value(value);
  }
  return false;
}

bool are_few_and_distinct(std::span<const JsonValue::Member> members) {
  constexpr size_t kFew = 8;
  if (members.size() > kFew) return false;
  for (size_t i = 1; i < members.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (members[i].name == members[k].name) return false;
    }
  }
  return true;
}

}  // namespace

Members::Members(JsonValue structure, const Shape& shape) : shape_(&shape) {
  PARTITA_CHECK(shape.members.size() <= kMost);
  for (const auto [name, value] : structure.members()) {
    const size_t slot = slot_of(shape, name);
    if (slot != kNoSlot) values_[slot] = value;
  }
}

[[gnu::flatten]] bool Members::fits(JsonValue body, const Shape& shape) {
  PARTITA_CHECK(shape.members.size() <= kMost);
  shape_ = &shape;
  return fits_structure(body, shape, [this](size_t slot, const JsonValue& value) { values_[slot] = value; });
}

JsonValue Members::operator[](Field field) const {
  const uint8_t slot = shape_->slots[static_cast<size_t>(field)];
  return slot == kNoSlot ? JsonValue() : values_[slot];
}

std::string_view Members::text(Field field) const {
  const JsonValue value = (*this)[field];
  return value.present() ? value.as_string() : std::string_view();
}

bool Members::flag(Field field, bool otherwise) const { return truth((*this)[field], otherwise); }

std::optional<int64_t> Members::integer(Field field) const {
  const JsonValue value = (*this)[field];
  return value.present() ? std::optional(value.as_integer()) : std::nullopt;
}

Members Members::in(Field field) const {
  const uint8_t slot = shape_->slots[static_cast<size_t>(field)];
  PARTITA_CHECK(slot != kNoSlot);
  return Members(values_[slot], *shape_->members[slot].shape);
}

const Shape& Members::element_shape(Field field) const {
  const uint8_t slot = shape_->slots[static_cast<size_t>(field)];
  PARTITA_CHECK(slot != kNoSlot);
  return *shape_->members[slot].shape->element;
}

std::vector<JsonValue::Member> distinct_members(const JsonValue& map) {
  std::vector<JsonValue::Member> members;
  members.reserve(map.size());
  for (const JsonValue::Member member : map.members()) members.push_back(member);
  if (are_few_and_distinct(members)) return members;
  std::vector<size_t> order(members.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return members[i].name; });
  std::vector<bool> doubled(members.size());
  for (size_t i = 0, first = 0; i < order.size(); ++i) {
    if (i > 0 && members[order[i]].name == members[order[first]].name) {
      members[order[first]].value = members[order[i]].value;
      doubled[order[i]] = true;
    } else {
      first = i;
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    if (!doubled[i]) members[kept++] = members[i];
  }
  members.resize(kept);
  return members;
}

}  // namespace partita::wire
