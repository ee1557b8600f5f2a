// SearchVectors checks its body differently from all other operations. It reports the first member in the text that is
// of the wrong kind, including null, with its location, and then the first missing member.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace partita::wire {

enum class StrictKind : uint8_t { kString, kList, kMap, kInteger };

struct StrictMember {
  std::string_view name;
  StrictKind kind;
  bool required = true;  // otherwise it may be null or missing
};

// Precondition: `body` is JSON. A body that is not an object passes.
// Faults: kStrictSerialization, kConstraints for a missing member.
Result<void> check_strict(std::string_view body, std::span<const StrictMember> members);

}  // namespace partita::wire
