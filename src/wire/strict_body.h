// SearchVectors reads its body in another way than all others do: the first member in the text that is not of its kind,
// a null too, is told with the place where it stands; then the first member that is not there.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace partita::wire {

enum class StrictKind : uint8_t { kString, kList, kMap, kInteger };

struct StrictMember {
  std::string_view name;
  StrictKind kind;
  bool required = true;  // else it may be null, or not there
};

// Precondition: `body` is JSON. Of a body that is no object nothing is said.
// Faults: kStrictSerialization, kConstraints for a member that is missing.
Result<void> check_strict(std::string_view body, std::span<const StrictMember> members);

}  // namespace partita::wire
