#include "wire/shape_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/fault.h"
#include "wire/checks.h"
#include "wire/name_rules.h"
#include "wire/shape_print.h"
#include "wire/type_check.h"

namespace partita::wire {
namespace {

using model::Fault;
using model::refuse;

constexpr size_t kMaxMembers = 24;     // of a structure
constexpr size_t kMaxViolations = 10;  // AWS reports no more
constexpr std::string_view kMustNotBeNull = "Member must not be null";

const Member* find_member(const Shape& shape, std::string_view name) {
  for (const Member& member : shape.members) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

// --- JSON kinds ---

std::string java_class(const Shape& shape) {
  const std::string model = "com.amazonaws.dynamodb.v20120810.";
  switch (shape.kind) {
    case ShapeKind::kStructure:
      return model + std::string(shape.name);
    case ShapeKind::kAttributeValue:
      return model + "AttributeValue";
    case ShapeKind::kList:
      return "java.util.List<" + java_class(*shape.element) + ">";
    case ShapeKind::kMap:
      return "java.util.Map<java.lang.String, " + java_class(*shape.element) + ">";
    default:
      return "java.lang.String";
  }
}

Result<void> check_kinds(const JsonValue& value, const Shape& shape, ValuePlace place);

Result<void> check_kinds_of_list(const JsonValue& list, const Shape& shape, ValuePlace place) {
  PARTITA_TRY_VOID(check_list(list, place));
  for (const JsonValue element : list.elements()) {
    PARTITA_TRY_VOID(check_kinds(element, *shape.element, ValuePlace::kElement));
  }
  return {};
}

Result<void> check_kinds_of_map(const JsonValue& map, const Shape& shape, ValuePlace place) {
  if (!map.is(JsonValue::Kind::kObject)) return check_map(map, java_class(*shape.element), place);
  for (const auto [name, value] : map.members()) {
    PARTITA_TRY_VOID(check_kinds(value, *shape.element, ValuePlace::kElement));
  }
  return {};
}

Result<void> check_kinds_of_structure(const JsonValue& structure, const Shape& shape, ValuePlace place) {
  PARTITA_TRY_VOID(check_structure(structure, shape.name, place));
  for (const auto [name, value] : structure.members()) {
    const Member* member = find_member(shape, name);
    if (member != nullptr) PARTITA_TRY_VOID(check_kinds(value, *member->shape, ValuePlace::kField));
  }
  return {};
}

Result<void> check_kinds(const JsonValue& value, const Shape& shape, ValuePlace place) {
  if (!value.present()) return {};
  switch (shape.kind) {
    case ShapeKind::kStructure:
      return check_kinds_of_structure(value, shape, place);
    case ShapeKind::kList:
      return check_kinds_of_list(value, shape, place);
    case ShapeKind::kMap:
      return check_kinds_of_map(value, shape, place);
    case ShapeKind::kString:
      return check_string(value);
    case ShapeKind::kInteger:
      return shape.whole ? check_whole(value, "Integer") : check_number(value, "Integer");
    case ShapeKind::kLong:
      return check_number(value, "Long");
    case ShapeKind::kDouble:
      return check_number(value, "Double");
    case ShapeKind::kBoolean:
      return check_boolean(value);
    case ShapeKind::kBlob:
      return check_blob(value);
    case ShapeKind::kAttributeValue:
      return check_attribute_value(value, place);
  }
  return {};
}

// --- constraints ---

bool is_number(const Shape& shape) {
  return shape.kind == ShapeKind::kInteger || shape.kind == ShapeKind::kLong || shape.kind == ShapeKind::kDouble;
}

int64_t measure(const JsonValue& value, const Shape& shape) {
  if (is_number(shape)) return value.as_integer();
  return shape.kind == ShapeKind::kString ? length_of(value.as_string()) : static_cast<int64_t>(value.size());
}

std::string bound_text(const Shape& shape, std::string_view relation, int64_t bound) {
  return std::string(is_number(shape) ? "Member must have value " : "Member must have length ") +
         std::string(relation) + " than or equal to " + std::to_string(bound);
}

std::string pattern_text() { return "Member must satisfy regular expression pattern: " + std::string(kNamePattern); }

// Where a value stands; frames lie on the stack and become text only when there is something to say.
struct Frame {
  enum class Step : uint8_t { kMember, kElement, kEntry };
  const Frame* up;
  Step step;
  std::string_view name;  // of a member or an entry
  size_t index = 0;       // of an element, from 1
};

std::string path_to(const Frame* frame, bool as_written) {
  if (frame == nullptr) return {};
  std::string path = path_to(frame->up, as_written);
  if (!path.empty()) path += '.';
  switch (frame->step) {
    case Frame::Step::kMember:
      return path + (as_written ? std::string(frame->name) : lower_first(frame->name));
    case Frame::Step::kElement:
      return path + std::to_string(frame->index) + ".member";
    case Frame::Step::kEntry:
      return path + std::string(frame->name) + ".member";
  }
  return path;
}

std::string enum_text(std::string_view words) {
  return "Member must satisfy enum value set: [" + std::string(words) + "]";
}

// Of the newer checks.
std::string enum_failure(const Shape& shape) {
  return "Failed to satisfy constraint: " + enum_text(shape.newer_values);
}

bool is_one_of(const JsonValue& word, const Shape& shape) {
  return std::find(shape.values.begin(), shape.values.end(), word.as_string()) != shape.values.end();
}

class ConstraintCheck {
 public:
  explicit ConstraintCheck(bool newer) : newer_(newer) {}

  Result<void> outcome() const {
    if (!violations_.empty()) {
      std::string text = std::to_string(violations_.size());
      text += violations_.size() == 1 ? " validation error detected: " : " validation errors detected: ";
      for (size_t i = 0; i < violations_.size(); ++i) {
        if (i > 0) text += "; ";
        text += violations_[i];
      }
      return refuse(Fault::kConstraints, {std::move(text)});
    }
    if (!late_.empty()) return constraint_violated(late_);
    return {};
  }

  void structure(const JsonValue& structure, const Shape& shape, const Frame* frame) {
    std::array<JsonValue, kMaxMembers> values;
    PARTITA_CHECK(shape.members.size() <= values.size());
    for (const auto [name, value] : structure.members()) {
      if (const Member* member = find_member(shape, name)) {
        values[static_cast<size_t>(member - shape.members.data())] = value;
      }
    }
    for (size_t i = 0; i < shape.members.size(); ++i) {
      const Member& member = shape.members[i];
      const Frame here{frame, Frame::Step::kMember, member.name};
      if (values[i].present()) {
        check(values[i], *member.shape, &here);
      } else if (member.absence != Absence::kAllowed) {
        violate(values[i], *member.shape, &here, kMustNotBeNull);
      }
    }
  }

  void table_name(const JsonValue& value, const Shape& shape, const Frame* frame) {
    const std::string_view name = value.as_string();
    if (is_arn(name)) return;
    const bool items = shape.table_name == TableNameRule::kItems;
    const bool length_first = shape.table_name == TableNameRule::kControl;
    const bool misspelt = !is_name(name) && !(items && name.empty());
    const int64_t min = items ? 1 : kShortestTableName;
    if (misspelt && !length_first) violate(value, shape, frame, pattern_text());
    if (length_of(name) < min) violate(value, shape, frame, bound_text(shape, "greater", min));
    if (length_of(name) > kLongestTableName) {
      violate(value, shape, frame, bound_text(shape, "less", kLongestTableName));
    }
    if (misspelt && length_first) violate(value, shape, frame, pattern_text());
  }

 private:
  void check(const JsonValue& value, const Shape& shape, const Frame* frame) {
    switch (shape.kind) {
      case ShapeKind::kAttributeValue:
      case ShapeKind::kBoolean:
      case ShapeKind::kBlob:
        return;
      case ShapeKind::kStructure:
        return structure(value, shape, frame);
      case ShapeKind::kString:
        if (shape.table_name != TableNameRule::kNone) return table_name(value, shape, frame);
        if (shape.length_first) bounds(value, shape, frame);
        string(value, shape, frame);
        if (shape.length_first) return;
        break;
      default:
        break;
    }
    bounds(value, shape, frame);
    if (shape.kind == ShapeKind::kList) list(value, shape, frame);
    if (shape.kind == ShapeKind::kMap) map(value, shape, frame);
  }

  void string(const JsonValue& value, const Shape& shape, const Frame* frame) {
    const std::string_view text = value.as_string();
    if (shape.name_pattern && !is_name(text)) violate(value, shape, frame, pattern_text());
    if (shape.values.empty() || is_one_of(value, shape)) return;
    if (newer_ && !shape.newer_values.empty()) return add(enum_failure(shape));
    std::string words;
    for (const std::string_view allowed : shape.values) {
      if (!words.empty()) words += ", ";
      words += allowed;
    }
    violate(value, shape, frame, enum_text(words));
  }

  void bounds(const JsonValue& value, const Shape& shape, const Frame* frame) {
    if (shape.min == Shape::kNoMin && shape.max == Shape::kNoMax) return;
    const int64_t measured = measure(value, shape);
    if (measured < shape.min) violate(value, shape, frame, bound_text(shape, "greater", shape.min));
    if (measured > shape.max) violate(value, shape, frame, bound_text(shape, "less", shape.max));
  }

  void list(const JsonValue& list, const Shape& shape, const Frame* frame) {
    if (shape.element->kind == ShapeKind::kAttributeValue) return;
    size_t index = 0;
    for (const JsonValue element : list.elements()) {
      if (violations_.size() >= kMaxViolations) return;
      const Frame here{frame, Frame::Step::kElement, {}, ++index};
      if (element.present()) {
        check(element, *shape.element, &here);
      } else {
        violate(element, *shape.element, &here, kMustNotBeNull);
      }
    }
  }

  void map(const JsonValue& map, const Shape& shape, const Frame* frame) {
    if (shape.element->kind == ShapeKind::kAttributeValue && shape.key == nullptr) return;
    for (const auto [name, value] : map.members()) {
      if (violations_.size() >= kMaxViolations) return;
      if (shape.key != nullptr) key(name, map, shape, frame);
      const Frame here{frame, Frame::Step::kEntry, name};
      if (!value.present()) {
        violate(value, *shape.element, &here, kMustNotBeNull);
      } else if (shape.element->kind == ShapeKind::kList) {
        entry_bounds(value, map, shape, frame);
        list(value, *shape.element, &here);
      } else {
        check(value, *shape.element, &here);
      }
    }
  }

  // A bad key, or a bad length of a list in a map, is the whole map's violation.
  void key(std::string_view name, const JsonValue& map, const Shape& shape, const Frame* frame) {
    const int64_t length = length_of(name);
    const bool patterned = shape.key->name_pattern;
    const bool fits = length >= shape.key->min && length <= shape.key->max && (!patterned || is_name(name));
    if (fits || (patterned && is_arn(name))) return;
    const std::string constraint = "Map keys must satisfy constraint: [" + bounds_text(*shape.key) +
                                   (patterned ? ", " + pattern_text() : "") + "]";
    if (!shape.key->late) return violate(map, shape, frame, constraint);
    if (late_.empty()) defer("Value " + shown(map, shape) + failed_at(frame, false) + constraint);
  }

  void entry_bounds(const JsonValue& entry, const JsonValue& map, const Shape& shape, const Frame* frame) {
    const int64_t length = measure(entry, *shape.element);
    if (length >= shape.element->min && length <= shape.element->max) return;
    violate(map, shape, frame, "Map value must satisfy constraint: [" + bounds_text(*shape.element) + "]");
  }

  static std::string bounds_text(const Shape& shape) {
    return bound_text(shape, "less", shape.max) + ", " + bound_text(shape, "greater", shape.min);
  }

  void violate(const JsonValue& value, const Shape& shape, const Frame* frame, std::string_view constraint) {
    if (shape.late && value.present()) return defer("Value" + failed_at(frame, true) + std::string(constraint));
    if (violations_.size() >= kMaxViolations) return;
    add("Value " + shown(value, shape) + failed_at(frame, false) + std::string(constraint));
  }

  void add(std::string violation) {
    if (violations_.size() < kMaxViolations) violations_.push_back(std::move(violation));
  }

  void defer(std::string text) {
    if (late_.empty()) late_ = std::move(text);
  }

  static std::string shown(const JsonValue& value, const Shape& shape) {
    if (!value.present()) return "null";
    return "'" + (shape.shown_as_json ? print_json(value) : print_value(value, shape)) + "'";
  }

  static std::string failed_at(const Frame* frame, bool as_written) {
    return " at '" + path_to(frame, as_written) + "' failed to satisfy constraint: ";
  }

  bool newer_;
  std::vector<std::string> violations_;
  std::string late_;
};

// An empty name in newer words, which do not show it.
Error too_short(std::string_view member) {
  return constraint_violated("Value at '" + std::string(member) +
                             "' failed to satisfy constraint: Member must have length greater than or equal to 1");
}

// The enums that the newer checks look at before all else.
Result<void> check_lone_enums(const JsonValue& body, const Shape& shape) {
  for (const Member& member : shape.members) {
    const JsonValue value = body.get(member.name);
    if (!member.shape->newer_alone || !value.present() || is_one_of(value, *member.shape)) continue;
    std::string failure = enum_failure(*member.shape);
    if (shape.checks == Checks::kEnveloped) return constraint_violated(failure);
    return refuse(Fault::kConstraints, {std::move(failure)});
  }
  return {};
}

// What is said before, and without, all other constraints.
Result<void> check_first(const JsonValue& body, const Shape& shape, bool newer) {
  for (const Member& member : shape.members) {
    const bool named = member.shape->table_name != TableNameRule::kNone;
    if (!named && member.absence < Absence::kParameter) continue;
    const JsonValue value = body.get(member.name);
    if (!value.present() && member.absence == Absence::kParameter) {
      return refuse(Fault::kMissingParameter, {std::string(member.name)});
    }
    if (member.absence == Absence::kBatch && value.present() && value.size() == 0) {
      if (newer) return too_short(member.name);
      const std::string_view operation = shape.name.substr(0, shape.name.rfind("Input"));
      return refuse(Fault::kParameterRequiredFor, {lower_first(member.name), std::string(operation)});
    }
    if (!named || !value.present()) continue;
    if (newer && value.as_string().empty()) return too_short(member.name);
    if (member.shape->table_name == TableNameRule::kItems && lacks_a_member(body, shape)) continue;
    ConstraintCheck name_alone(newer);
    const Frame frame{nullptr, Frame::Step::kMember, member.name};
    name_alone.table_name(value, *member.shape, &frame);
    PARTITA_TRY_VOID(name_alone.outcome());
  }
  return {};
}

}  // namespace

Result<void> check_shape(const JsonValue& body, const Shape& shape) {
  if (!body.present()) return refuse(Fault::kMalformedJson);
  PARTITA_TRY_VOID(check_kinds(body, shape, ValuePlace::kElement));
  const bool newer = meets_newer_checks(body, shape);
  PARTITA_TRY_VOID(check_first(body, shape, newer));
  if (newer) PARTITA_TRY_VOID(check_lone_enums(body, shape));
  ConstraintCheck check(newer);
  check.structure(body, shape, nullptr);
  return check.outcome();
}

std::string misfit(const JsonValue& body, const Shape& shape) {
  const auto found = [](std::string_view name, const JsonValue& value, const Shape& of, ValuePlace place) {
    std::string where;
    if (check_kinds(value, of, place).ok()) return where;
    const std::string inner = misfit(value, of);
    where = name;
    if (!inner.empty() && !inner.starts_with('[')) where += '.';
    return where + inner;
  };
  std::string where;
  if (shape.kind == ShapeKind::kStructure || shape.kind == ShapeKind::kMap) {
    for (const auto [name, value] : body.members()) {
      const Member* const member = shape.kind == ShapeKind::kMap ? nullptr : find_member(shape, name);
      if (member != nullptr) where = found(name, value, *member->shape, ValuePlace::kField);
      if (shape.kind == ShapeKind::kMap) where = found(name, value, *shape.element, ValuePlace::kElement);
      if (!where.empty()) return where;
    }
  }
  size_t at = 0;
  for (const JsonValue element : body.elements()) {
    if (shape.kind != ShapeKind::kList) break;
    where = found("[" + std::to_string(at++) + "]", element, *shape.element, ValuePlace::kElement);
    if (!where.empty()) return where;
  }
  return where;
}

}  // namespace partita::wire
