// A document path: an attribute, then members of maps and elements of lists within it: `a.b[3].c`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/value.h"

namespace partita::expr {

// A map's member by name, or a list's element by position.
using PathStep = std::variant<std::string, uint32_t>;

struct Path {
  std::string attribute;
  std::vector<PathStep> steps;

  bool is_attribute() const { return steps.empty(); }
  bool operator==(const Path&) const = default;
};

// The value at the path, or null if the item has none. Valid until the item is changed.
const model::AttributeValue* find(const model::Item& item, const Path& path);

// The container that the path's last step points into, or null if the item has none. Precondition: the path has steps.
const model::AttributeValue* find_container(const model::Item& item, const Path& path);

// As DynamoDB writes a path in its errors: "[a, b, [3], c]".
std::string describe(const Path& path);

// The relation of two paths of one expression. Overlap: one is the other or lies within it. Conflict: where they first
// differ, one continues by name and the other by position, so that no value can have both.
enum class PathRelation : uint8_t { kApart, kOverlap, kConflict };
PathRelation relate(const Path& a, const Path& b);

}  // namespace partita::expr
