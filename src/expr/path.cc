#include "expr/path.h"

#include <algorithm>

#include "base/check.h"

namespace partita::expr {

using model::AttributeValue;
using model::Type;

namespace {

const AttributeValue* walk(const model::Item& item, const Path& path, size_t count) {
  const AttributeValue* value = item.find(path.attribute);
  for (size_t i = 0; i < count && value != nullptr; ++i) {
    if (const auto* member = std::get_if<std::string>(&path.steps[i])) {
      value = value->is(Type::kM) ? value->as_map().find(*member) : nullptr;
    } else {
      const uint32_t position = std::get<uint32_t>(path.steps[i]);
      const bool present = value->is(Type::kL) && position < value->as_list().size();
      value = present ? &value->as_list()[position] : nullptr;
    }
  }
  return value;
}

}  // namespace

const AttributeValue* find(const model::Item& item, const Path& path) { return walk(item, path, path.steps.size()); }

const AttributeValue* find_container(const model::Item& item, const Path& path) {
  PARTITA_CHECK(!path.steps.empty());
  return walk(item, path, path.steps.size() - 1);
}

std::string describe(const Path& path) {
  std::string out = "[" + path.attribute;
  for (const PathStep& step : path.steps) {
    out += ", ";
    if (const auto* member = std::get_if<std::string>(&step)) {
      out += *member;
    } else {
      out += "[" + std::to_string(std::get<uint32_t>(step)) + "]";
    }
  }
  return out + "]";
}

PathRelation relate(const Path& a, const Path& b) {
  if (a.attribute != b.attribute) return PathRelation::kApart;
  const size_t common = std::min(a.steps.size(), b.steps.size());
  for (size_t i = 0; i < common; ++i) {
    if (a.steps[i].index() != b.steps[i].index()) return PathRelation::kConflict;
    if (a.steps[i] != b.steps[i]) return PathRelation::kApart;
  }
  return PathRelation::kOverlap;
}

}  // namespace partita::expr
