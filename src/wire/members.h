// A structure of a request, met once: one pass over its JSON puts each member that the shape knows into the slot of its
// place in the shape; from then on it is asked for by field. Members that the shape does not know are passed over, and
// of two members of one name the last one counts.
//
//   Members in;
//   if (!in.fits(document.root(), shapes::kGetItem)) PARTITA_TRY_VOID(check_shape(document.root(), shapes::kGetItem));
//   if (in.has(Field::kLimit)) use(in.integer(Field::kLimit));
//
// It and what it gives are views of the JsonDocument. Asking for a field that the shape lacks gives what absence gives.
// Preconditions of all that reads: fits() was true or check_shape() passed.
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

  // Fills the slots and says whether all of the body is certainly as the shape wants it, so that check_shape() would
  // find nothing. False means only that check_shape() has to look: a name twice, a word for a boolean.
  bool fits(JsonValue body, const Shape& shape);

  JsonValue operator[](Field field) const;
  bool has(Field field) const { return (*this)[field].present(); }

  // Empty when absent.
  std::string_view text(Field field) const;
  bool flag(Field field, bool otherwise = false) const;
  std::optional<int64_t> integer(Field field) const;
  // The structure under that member.
  Members in(Field field) const;
  // What the shape says of the elements of the list or map under that member. Precondition: the shape has it.
  const Shape& element_shape(Field field) const;

 private:
  const Shape* shape_ = nullptr;
  std::array<JsonValue, kMost> values_;
};

// The members of a map, each name once, in the order in which the names stand first; of two of one name the last value
// counts.
std::vector<JsonValue::Member> distinct_members(const JsonValue& map);

}  // namespace partita::wire
