// Names of the members of DynamoDB's requests as small numbers, so that decoders look members up by number and not by
// text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace partita::wire {

enum class Field : uint8_t {
#define PARTITA_FIELD(name) k##name,
#include "wire/fields.inc"
#undef PARTITA_FIELD
};

inline constexpr std::string_view kFieldNames[] = {
#define PARTITA_FIELD(name) #name,
#include "wire/fields.inc"
#undef PARTITA_FIELD
};

inline constexpr size_t kFieldCount = std::size(kFieldNames);

inline constexpr Field kNoField{0xff};

constexpr std::string_view name_of(Field field) { return kFieldNames[static_cast<size_t>(field)]; }

// The field of that name; a compile error if fields.inc lacks it.
consteval Field field_named(std::string_view name) {
  size_t i = 0;
  while (kFieldNames[i] != name) ++i;  // past the end is not a constant expression
  return static_cast<Field>(i);
}

}  // namespace partita::wire
