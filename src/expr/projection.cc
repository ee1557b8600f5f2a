#include "expr/projection.h"

#include <algorithm>
#include <optional>
#include <span>

#include "expr/parser.h"

namespace partita::expr {
namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Item;
using model::Type;

class ProjectionParser : public Parser {
 public:
  ProjectionParser(std::string_view text, Placeholders& given) : Parser(text, ExpressionKind::kProjection, given) {}

  Result<Projection> parse() {
    PARTITA_TRY_VOID(begin());
    std::vector<Path> paths;
    do {
      PARTITA_TRY(Path path, parse_path());
      paths.push_back(std::move(path));
    } while (take_if(TokenKind::kComma));
    if (!next_is(TokenKind::kEnd)) return syntax_error();
    if (form_error_) return *std::move(form_error_);
    if (name_error_) return *std::move(name_error_);
    if (meaning_error_) return *std::move(meaning_error_);
    std::vector<const Path*> pointers;
    for (const Path& path : paths) pointers.push_back(&path);
    PARTITA_TRY_VOID(check_apart(pointers, ExpressionKind::kProjection));
    return Projection(std::move(paths));
  }
};

bool before(const Path& a, const Path& b) {
  if (a.attribute != b.attribute) return a.attribute < b.attribute;
  return a.steps < b.steps;
}

using Paths = std::span<const Path>;

// The paths that go on with the same step as the first of them; moves `paths` past those.
Paths take_group(Paths& paths, size_t depth) {
  size_t count = 1;
  while (count < paths.size() && paths[count].steps[depth] == paths[0].steps[depth]) ++count;
  const Paths group = paths.first(count);
  paths = paths.subspan(count);
  return group;
}

std::optional<AttributeValue> project_value(Paths paths, size_t depth, const AttributeValue& value);

std::optional<AttributeValue> project_map(Paths paths, size_t depth, const AttributeMap& map) {
  AttributeMap kept;
  while (!paths.empty()) {
    const Paths group = take_group(paths, depth);
    const auto* name = std::get_if<std::string>(&group[0].steps[depth]);
    const AttributeValue* member = name != nullptr ? map.find(*name) : nullptr;
    if (member == nullptr) continue;
    if (auto part = project_value(group, depth + 1, *member)) kept.set(*name, *std::move(part));
  }
  if (kept.empty()) return std::nullopt;
  return AttributeValue::map(std::move(kept));
}

std::optional<AttributeValue> project_list(Paths paths, size_t depth, const AttributeValue::List& list) {
  AttributeValue::List kept;
  while (!paths.empty()) {
    const Paths group = take_group(paths, depth);
    const auto* position = std::get_if<uint32_t>(&group[0].steps[depth]);
    if (position == nullptr || *position >= list.size()) continue;
    if (auto part = project_value(group, depth + 1, list[*position])) kept.push_back(*std::move(part));
  }
  if (kept.empty()) return std::nullopt;
  return AttributeValue::list(std::move(kept));
}

// The parts of `value` that the paths name; their first `depth` steps lead to it. Depth is bounded by
// kMaxPathLevels.
std::optional<AttributeValue> project_value(Paths paths, size_t depth, const AttributeValue& value) {
  if (paths[0].steps.size() == depth) return value;
  if (value.is(Type::kM)) return project_map(paths, depth, value.as_map());
  if (value.is(Type::kL)) return project_list(paths, depth, value.as_list());
  return std::nullopt;
}

}  // namespace

Projection::Projection(std::vector<Path> paths) : paths_(std::move(paths)) {
  std::ranges::sort(paths_, before);
  for (const Path& path : paths_) {
    if (attributes_.empty() || attributes_.back() != path.attribute) attributes_.push_back(path.attribute);
    if (path.is_attribute()) continue;
    whole_attributes_ = false;
    if (nested_attributes_.empty() || nested_attributes_.back() != path.attribute) {
      nested_attributes_.push_back(path.attribute);
    }
  }
}

Projection Projection::of_columns(std::vector<Column> columns) {
  std::vector<Path> paths;
  for (const Column& column : columns) paths.push_back(column.path);
  Projection projection(std::move(paths));
  projection.columns_ = std::move(columns);
  std::ranges::sort(projection.columns_, {}, &Column::name);
  for (const Column& column : projection.columns_) {
    projection.whole_attributes_ = projection.whole_attributes_ && column.name == column.path.attribute;
  }
  return projection;
}

Result<Projection> parse_projection(std::string_view text, Placeholders& given) {
  return ProjectionParser(text, given).parse();
}

Item project(const Projection& projection, const Item& item) {
  Item kept;
  for (const Projection::Column& column : projection.columns()) {
    if (const AttributeValue* value = find(item, column.path)) kept.set(column.name, *value);
  }
  if (!projection.columns().empty()) return kept;
  Paths paths = projection.paths();
  while (!paths.empty()) {
    size_t count = 1;
    while (count < paths.size() && paths[count].attribute == paths[0].attribute) ++count;
    const Paths group = paths.first(count);
    paths = paths.subspan(count);
    const AttributeValue* value = item.find(group[0].attribute);
    if (value == nullptr) continue;
    if (auto part = project_value(group, 0, *value)) kept.set(group[0].attribute, *std::move(part));
  }
  return kept;
}

}  // namespace partita::expr
