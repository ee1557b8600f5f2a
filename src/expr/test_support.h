// Short names for the values and placeholders of tests, and errors as the texts that a client sees.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expr/key_condition.h"
#include "expr/placeholders.h"
#include "model/fault.h"
#include "model/value.h"

namespace partita::expr::test {

using model::AttributeMap;
using model::AttributeValue;
using model::Item;
using model::Number;

inline AttributeValue s(std::string text) { return AttributeValue::string(std::move(text)); }
inline AttributeValue b(std::string bytes) { return AttributeValue::binary(std::move(bytes)); }
inline AttributeValue n(std::string_view text) { return AttributeValue::number(Number::parse(text).value()); }
inline AttributeValue n(int value) { return AttributeValue::number(Number::of(value)); }
inline AttributeValue l(AttributeValue::List members) { return AttributeValue::list(std::move(members)); }
inline AttributeValue ss(std::vector<std::string> members) { return AttributeValue::string_set(std::move(members)); }
inline AttributeValue bs(std::vector<std::string> members) { return AttributeValue::binary_set(std::move(members)); }
inline AttributeValue ns(std::initializer_list<int> members) {
  std::vector<Number> numbers;
  for (const int member : members) numbers.push_back(Number::of(member));
  return AttributeValue::number_set(std::move(numbers));
}

using Pairs = std::initializer_list<std::pair<const char*, AttributeValue>>;

inline AttributeMap attributes(Pairs pairs) {
  AttributeMap map;
  for (const auto& [name, value] : pairs) map.set(name, value);
  return map;
}
inline AttributeValue m(Pairs pairs) { return AttributeValue::map(attributes(pairs)); }

using Names = std::initializer_list<std::pair<const char*, const char*>>;

inline Placeholders given(Names names, Pairs values) {
  std::optional<Placeholders::Names> some_names;
  if (names.size() > 0) {
    some_names.emplace();
    for (const auto& [key, name] : names) some_names->emplace_back(key, name);
  }
  std::optional<AttributeMap> some_values;
  if (values.size() > 0) some_values = attributes(values);
  return Placeholders::make(std::move(some_names), std::move(some_values)).value();
}
inline Placeholders given(Pairs values = {}) { return given({}, values); }

// The text that the client gets; in test_support_test.cc.
std::string text_of(const Error& error);

// The error's text, or "ok".
template <class T>
std::string outcome(const Result<T>& result) {
  return result.ok() ? "ok" : text_of(result.error());
}

// Evaluated directly, independent of how rows of a range are found.
inline bool meets(const SortCondition& condition, const AttributeValue& value) {
  const auto order = model::compare_scalars(value, condition.value);
  switch (condition.op) {
    case SortOp::kLess:
      return order < 0;
    case SortOp::kLessEqual:
      return order <= 0;
    case SortOp::kGreater:
      return order > 0;
    case SortOp::kGreaterEqual:
      return order >= 0;
    case SortOp::kBetween:
      return order >= 0 && model::compare_scalars(value, condition.upper) <= 0;
    case SortOp::kBeginsWith:
      return value.as_bytes().starts_with(condition.value.as_bytes());
  }
  return false;
}

}  // namespace partita::expr::test
