#include "sinks/hook_filter.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "model/number.h"

namespace partita::sinks {

namespace {

using Json = wire::JsonValue::Kind;

constexpr size_t kMostDepth = 100;  // of a pattern. Items have 32 levels, of two members each

Error wrong_filter(std::string sentence) {
  return Error(ErrorKind::kInvalid, "FilterCriteria: " + std::move(sentence));
}

bool is_number(const wire::JsonValue& value) { return value.is(Json::kInteger) || value.is(Json::kDecimal); }

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_text(std::string_view one, std::string_view other, bool ignores_case) {
  if (!ignores_case) return one == other;
  return std::ranges::equal(one, other, {}, folded, folded);
}

std::optional<double> number_in(const wire::JsonValue& value, bool is_number_text) {
  if (is_number(value)) return value.as_double();
  if (!is_number_text || !value.is(Json::kString)) return std::nullopt;
  const auto parsed = model::Number::parse(value.as_string());
  return parsed.ok() ? std::optional(parsed->to_double()) : std::nullopt;
}

}  // namespace

Result<EventPattern> EventPattern::parse(std::string_view json) {
  if (json.size() > kMostBytes) {
    return wrong_filter("A Pattern has at most " + std::to_string(kMostBytes) + " bytes.");
  }
  const auto document = wire::JsonDocument::parse(json);
  if (!document.ok() || !document->root().is(Json::kObject)) return wrong_filter("A Pattern is not a JSON object.");
  EventPattern pattern;
  PARTITA_TRY(pattern.root_, node_of(document->root(), 0));
  return pattern;
}

Result<EventPattern::Node> EventPattern::node_of(const wire::JsonValue& object, size_t depth) {
  if (depth > kMostDepth) return wrong_filter("A Pattern is too deep.");
  Node node;
  for (const auto& [name, value] : object.members()) {
    if (name == "$or") {
      PARTITA_TRY(auto choices, choices_of(value, depth));
      node.choices.push_back(std::move(choices));
    } else if (value.is(Json::kObject)) {
      PARTITA_TRY(Node inner, node_of(value, depth + 1));
      inner.name = name;
      node.nodes.push_back(std::move(inner));
    } else if (value.is(Json::kArray)) {
      PARTITA_TRY(Leaf leaf, leaf_of(name, value));
      node.leaves.push_back(std::move(leaf));
    } else {
      return wrong_filter("In a Pattern, " + std::string(name) + " has to be an array of values, or an object.");
    }
  }
  return node;
}

Result<std::vector<EventPattern::Node>> EventPattern::choices_of(const wire::JsonValue& array, size_t depth) {
  if (array.size() < 2 || !array.is(Json::kArray)) return wrong_filter("$or is an array of two objects or more.");
  std::vector<Node> choices;
  for (const wire::JsonValue& one : array.elements()) {
    if (!one.is(Json::kObject)) return wrong_filter("$or is an array of two objects or more.");
    PARTITA_TRY(Node node, node_of(one, depth + 1));
    choices.push_back(std::move(node));
  }
  return choices;
}

Result<EventPattern::Leaf> EventPattern::leaf_of(std::string_view name, const wire::JsonValue& array) {
  if (array.size() == 0) return wrong_filter("The array of " + std::string(name) + " is empty, so it matches nothing.");
  Leaf leaf;
  leaf.name = name;
  leaf.is_number_text = name == "N" || name == "NS";
  for (const wire::JsonValue& value : array.elements()) {
    PARTITA_TRY(Test test, test_of(value));
    leaf.any.push_back(std::move(test));
  }
  return leaf;
}

Result<EventPattern::Test> EventPattern::test_of(const wire::JsonValue& value) {
  switch (value.kind()) {
    case Json::kNull:
      return Test{.kind = Kind::kNull};
    case Json::kBoolean:
      return Test{.kind = value.as_boolean() ? Kind::kTrue : Kind::kFalse};
    case Json::kInteger:
    case Json::kDecimal:
      return Test{.kind = Kind::kNumber, .number = value.as_double()};
    case Json::kString:
      return Test{.kind = Kind::kText, .text = std::string(value.as_string())};
    case Json::kArray:
      return wrong_filter("An array in an array.");
    case Json::kObject:
      break;
  }
  if (value.size() != 1) return wrong_filter("An object in an array has one operator, such as {\"prefix\":\"a\"}.");
  const auto [name, operand] = *value.members().begin();
  return operator_of(name, operand);
}

Result<EventPattern::Test> EventPattern::operator_of(std::string_view name, const wire::JsonValue& value) {
  if (name == "prefix") return affix_of(Kind::kPrefix, name, value);
  if (name == "suffix") return affix_of(Kind::kSuffix, name, value);
  if (name == "equals-ignore-case") {
    if (!value.is(Json::kString)) return wrong_filter("equals-ignore-case takes a string.");
    return Test{.kind = Kind::kText, .text = std::string(value.as_string()), .ignores_case = true};
  }
  if (name == "exists") {
    if (!value.is(Json::kBoolean)) return wrong_filter("exists takes true or false.");
    return Test{.kind = Kind::kExists, .wanted = value.as_boolean()};
  }
  if (name == "numeric") return numeric_of(value);
  if (name == "anything-but") return anything_but_of(value);
  return wrong_filter("There is no operator " + std::string(name) +
                      " here: prefix, suffix, equals-ignore-case, exists, numeric or anything-but.");
}

Result<EventPattern::Test> EventPattern::affix_of(Kind kind, std::string_view name, const wire::JsonValue& value) {
  Test test{.kind = kind};
  wire::JsonValue text = value;
  if (value.is(Json::kObject) && value.size() == 1) {
    text = value.get("equals-ignore-case");
    test.ignores_case = true;
  }
  if (!text.is(Json::kString)) return wrong_filter(std::string(name) + " takes a string.");
  test.text = text.as_string();
  return test;
}

Result<EventPattern::Test> EventPattern::numeric_of(const wire::JsonValue& array) {
  constexpr const char* kForm = R"(numeric takes one or two comparisons, such as [">",0,"<=",5].)";
  if (!array.is(Json::kArray) || (array.size() != 2 && array.size() != 4)) return wrong_filter(kForm);
  Test test{.kind = Kind::kNumeric};
  bool is_relation = true;
  for (const wire::JsonValue& value : array.elements()) {
    if (is_relation) {
      const std::string relation = wire::text_of(value);
      constexpr std::array<std::string_view, 5> kRelations{"=", "<", "<=", ">", ">="};
      if (std::ranges::find(kRelations, relation) == kRelations.end()) return wrong_filter(kForm);
      test.bounds.push_back({.relation = relation.front(), .or_equal = relation.size() == 2});
    } else {
      if (!is_number(value)) return wrong_filter(kForm);
      test.bounds.back().number = value.as_double();
    }
    is_relation = !is_relation;
  }
  return test;
}

Result<EventPattern::Test> EventPattern::anything_but_of(const wire::JsonValue& value) {
  Test test{.kind = Kind::kAnythingBut};
  const auto add = [&test](const wire::JsonValue& one) -> Result<void> {
    if (one.is(Json::kArray)) return wrong_filter("anything-but takes a value, an array of values, or an operator.");
    PARTITA_TRY(Test other, test_of(one));
    if (other.kind == Kind::kExists || other.kind == Kind::kNumeric || other.kind == Kind::kAnythingBut) {
      return wrong_filter("anything-but takes only the operators prefix, suffix and equals-ignore-case.");
    }
    test.others.push_back(std::move(other));
    return {};
  };
  if (!value.is(Json::kArray)) {
    PARTITA_TRY_VOID(add(value));
    return test;
  }
  if (value.size() == 0) return wrong_filter("The array of anything-but is empty.");
  for (const wire::JsonValue& one : value.elements()) PARTITA_TRY_VOID(add(one));
  return test;
}

bool EventPattern::matches(const wire::JsonValue& event) const { return holds(root_, {.there = true, .value = event}); }

// Not get(), for which null is nothing.
EventPattern::Found EventPattern::member_of(const Found& object, std::string_view name) {
  Found found;
  for (const auto& [member, value] : object.value.members()) {
    if (member == name) found = {.there = true, .value = value};
  }
  return found;
}

bool EventPattern::holds(const Node& node, const Found& found) {
  if (found.value.is(Json::kArray)) {
    bool has_objects = false;
    for (const wire::JsonValue& one : found.value.elements()) {
      if (!one.is(Json::kObject) && !one.is(Json::kArray)) continue;
      has_objects = true;
      if (holds(node, {.there = true, .value = one})) return true;
    }
    return !has_objects && holds(node, Found());
  }
  for (const Leaf& leaf : node.leaves) {
    if (!holds(leaf, member_of(found, leaf.name))) return false;
  }
  for (const Node& inner : node.nodes) {
    if (!holds(inner, member_of(found, inner.name))) return false;
  }
  return std::ranges::all_of(node.choices, [&found](const std::vector<Node>& any) {
    return std::ranges::any_of(any, [&found](const Node& one) { return holds(one, found); });
  });
}

// An object, and an array without elements, are no leaves, so none exists there.
bool EventPattern::holds(const Leaf& leaf, const Found& found) {
  const bool is_array = found.value.is(Json::kArray);
  const bool exists = found.there && !found.value.is(Json::kObject) && (!is_array || found.value.size() > 0);
  return std::ranges::any_of(leaf.any, [&](const Test& test) {
    if (test.kind == Kind::kExists) return test.wanted == exists;
    if (!exists) return false;
    if (!is_array) return holds(test, found.value, leaf.is_number_text);
    for (const wire::JsonValue& one : found.value.elements()) {
      if (holds(test, one, leaf.is_number_text)) return true;
    }
    return false;
  });
}

bool EventPattern::holds(const Test& test, const wire::JsonValue& value, bool is_number_text) {
  if (value.is(Json::kObject) || value.is(Json::kArray)) return false;
  switch (test.kind) {
    case Kind::kText:
    case Kind::kPrefix:
    case Kind::kSuffix:
      return value.is(Json::kString) && has_text(test, value.as_string());
    case Kind::kTrue:
    case Kind::kFalse:
      return value.is(Json::kBoolean) && value.as_boolean() == (test.kind == Kind::kTrue);
    case Kind::kNull:
      return value.is(Json::kNull);
    case Kind::kNumber:
      return number_in(value, is_number_text) == test.number;
    case Kind::kAnythingBut:
      return std::ranges::none_of(test.others, [&](const Test& other) { return holds(other, value, is_number_text); });
    case Kind::kExists:
      return false;
    case Kind::kNumeric:
      break;
  }
  const auto number = number_in(value, is_number_text);
  if (!number) return false;
  return std::ranges::all_of(test.bounds, [&number](const Bound& bound) {
    if (*number == bound.number) return bound.or_equal || bound.relation == '=';
    return bound.relation == (*number < bound.number ? '<' : '>');
  });
}

bool EventPattern::has_text(const Test& test, std::string_view text) {
  if (text.size() < test.text.size()) return false;
  if (test.kind == Kind::kPrefix) text = text.substr(0, test.text.size());
  if (test.kind == Kind::kSuffix) text = text.substr(text.size() - test.text.size());
  return same_text(text, test.text, test.ignores_case);
}

Result<FilterCriteria> FilterCriteria::parse(std::string_view json) {
  constexpr const char* kForm =
      R"(It is a JSON object such as {"Filters":[{"Pattern":"{\"eventName\":[\"INSERT\"]}"}]}.)";
  const auto document = wire::JsonDocument::parse(json);
  if (!document.ok() || !document->root().is(Json::kObject)) return wrong_filter(kForm);
  const wire::JsonValue root = document->root();
  const wire::JsonValue filters = root.get("Filters");
  if (root.size() > (filters.present() ? 1 : 0)) return wrong_filter(kForm);
  if (filters.present() && !filters.is(Json::kArray)) return wrong_filter(kForm);
  if (filters.size() > kMostFilters) {
    return wrong_filter("There are more than " + std::to_string(kMostFilters) + " Filters.");
  }
  FilterCriteria criteria;
  for (const wire::JsonValue& one : filters.elements()) {
    const wire::JsonValue pattern = one.get("Pattern");
    if (one.size() != 1 || !pattern.is(Json::kString)) return wrong_filter(kForm);
    PARTITA_TRY(EventPattern parsed, EventPattern::parse(pattern.as_string()));
    criteria.patterns_.push_back(std::move(parsed));
  }
  return criteria;
}

Result<bool> FilterCriteria::matches(std::string_view record) const {
  if (patterns_.empty()) return true;
  const auto document = wire::JsonDocument::parse(record);
  if (!document.ok() && document.error().kind() == ErrorKind::kUnavailable) {
    return Error(ErrorKind::kUnavailable, "There is no memory to filter a record.");
  }
  if (!document.ok()) return Error(ErrorKind::kInvalid, "The record cannot be filtered: it cannot be read as JSON.");
  const wire::JsonValue root = document->root();
  return std::ranges::any_of(patterns_, [&root](const EventPattern& one) { return one.matches(root); });
}

}  // namespace partita::sinks
