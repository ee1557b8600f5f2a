// A document path: an attribute, then members of maps and elements of lists below it: `a.b[3].c`.
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

// The value there, or null when the item has none. It lives as long as the item is not changed.
const model::AttributeValue* find(const model::Item& item, const Path& path);

// What the path's last step points into, or null when the item has no such thing. Precondition: the path has steps.
const model::AttributeValue* find_container(const model::Item& item, const Path& path);

// As DynamoDB writes a path in its errors: "[a, b, [3], c]".
std::string describe(const Path& path);

// How two paths of one statement stand to each other. Overlap: one is the other or lies within it. Conflict: they part
// where one goes on by name and the other by position, so that no value can have both.
enum class PathRelation : uint8_t { kApart, kOverlap, kConflict };
PathRelation relate(const Path& a, const Path& b);

}  // namespace partita::expr
