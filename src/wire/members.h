// The members of a structure of a request. One pass over its JSON puts each member that the shape knows into the slot
// of its place in the shape. Afterwards, members are looked up by field. Members that the shape does not know are
// ignored, and of two members of one name, the last one counts.
//
//   Members in;
//   if (!in.fits(document.root(), shapes::kGetItem)) PARTITA_TRY_VOID(check_shape(document.root(), shapes::kGetItem));
//   if (in.has(Field::kLimit)) use(in.integer(Field::kLimit));
//
// Members and the values that it returns are views of the JsonDocument. A field that the shape lacks reads as absent.
// Precondition of all reads: fits() returned true, or check_shape() passed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/json_reader.h"
#include "wire/shape.h"

namespace partita::wire {

class Members {
 public:
  static constexpr size_t kMost = 24;  // members of one structure

  Members() = default;
  // An absent structure has no members.
  Members(JsonValue structure, const Shape& shape);

  // Fills the slots. True if all of the body certainly fits the shape, so that check_shape() would find nothing. False
  // means only that check_shape() must decide, for example because of a duplicate name, or a word for a boolean.
  bool fits(JsonValue body, const Shape& shape);

  JsonValue operator[](Field field) const;
  bool has(Field field) const { return (*this)[field].present(); }

  // Empty when absent.
  std::string_view text(Field field) const;
  bool flag(Field field, bool otherwise = false) const;
  std::optional<int64_t> integer(Field field) const;
  // The structure under that member.
  Members in(Field field) const;
  // The shape of the elements of the list or map in that member. Precondition: the shape has that member.
  const Shape& element_shape(Field field) const;

 private:
  const Shape* shape_ = nullptr;
  std::array<JsonValue, kMost> values_;
};

// The members of a map, each name once, in the order of the names' first occurrence. The last value of a name counts.
std::vector<JsonValue::Member> distinct_members(const JsonValue& map);

}  // namespace partita::wire
