#include "admin/operator_request.h"

#include <algorithm>
#include <cmath>

#include "model/fault.h"
#include "wire/item_reader.h"

namespace partita::admin {

using model::Fault;
using wire::JsonValue;

Error wrong(std::string sentence) { return model::refuse(Fault::kConstraints, {std::move(sentence)}); }

Result<void> Asked::check(std::span<const std::string_view> known) const {
  if (!body_.is(JsonValue::Kind::kObject)) return model::refuse(Fault::kSerialization, {"The body is no object."});
  for (const auto& [name, value] : body_.members()) {
    if (name.empty() || std::ranges::find(known, name) == known.end())
      return wrong("There is no member '" + std::string(name) + "'.");
  }
  return {};
}

Result<std::string> Asked::text(std::string_view name) const {
  const JsonValue value = body_.get(name);
  if (!value.present()) return std::string();
  if (!value.is(JsonValue::Kind::kString)) return wrong(std::string(name) + " is a string.");
  return std::string(value.as_string());
}

Result<std::string> Asked::required_text(std::string_view name) const {
  PARTITA_TRY(std::string said, text(name));
  if (said.empty()) return wrong(std::string(name) + " is missing.");
  return said;
}

Result<std::optional<int64_t>> Asked::seconds(std::string_view name) const {
  constexpr int64_t kMost = 1'000'000'000'000;
  const JsonValue value = body_.get(name);
  if (!value.present()) return std::optional<int64_t>();
  const bool whole = value.is(JsonValue::Kind::kInteger);
  if (!whole || value.as_integer() < -kMost || value.as_integer() > kMost)
    return wrong(std::string(name) + " is a number of seconds, without a fraction.");
  return std::optional(value.as_integer());
}

Result<int64_t> Asked::time_ms(std::string_view name) const {
  constexpr double kMostSeconds = 1e12;
  constexpr double kMsPerSecond = 1e3;
  const JsonValue value = body_.get(name);
  if (!value.present()) return 0;
  const bool is_number = value.is(JsonValue::Kind::kInteger) || value.is(JsonValue::Kind::kDecimal);
  const double seconds = is_number ? value.as_double() : -1;
  if (!(seconds >= 0 && seconds <= kMostSeconds))
    return wrong(std::string(name) + " is a time: the seconds since 1970, which may have a fraction.");
  return std::llround(seconds * kMsPerSecond);
}

Result<size_t> Asked::number(std::string_view name, int64_t most, size_t otherwise) const {
  const JsonValue value = body_.get(name);
  if (!value.present()) return otherwise;
  const int64_t number = value.is(JsonValue::Kind::kInteger) ? value.as_integer() : 0;
  if (number < 1 || number > most)
    return wrong(std::string(name) + " is a number from 1 to " + std::to_string(most) + ".");
  return static_cast<size_t>(number);
}

Result<bool> Asked::flag(std::string_view name) const {
  const JsonValue value = body_.get(name);
  if (!value.present()) return false;
  if (!value.is(JsonValue::Kind::kBoolean)) return wrong(std::string(name) + " is true or false.");
  return value.as_boolean();
}

Result<std::vector<std::string>> Asked::texts(std::string_view name) const {
  std::vector<std::string> all;
  const JsonValue value = body_.get(name);
  if (value.present() && !value.is(JsonValue::Kind::kArray)) return wrong(std::string(name) + " is a list of strings.");
  for (const JsonValue one : value.elements()) {
    if (!one.is(JsonValue::Kind::kString)) return wrong(std::string(name) + " is a list of strings.");
    all.emplace_back(one.as_string());
  }
  return all;
}

Result<std::vector<std::pair<std::string, std::string>>> Asked::named_texts(std::string_view name) const {
  std::vector<std::pair<std::string, std::string>> all;
  const JsonValue value = body_.get(name);
  if (value.present() && !value.is(JsonValue::Kind::kObject)) {
    return wrong(std::string(name) + " is an object of strings.");
  }
  for (const auto& [key, one] : value.members()) {
    if (!one.is(JsonValue::Kind::kString)) return wrong(std::string(name) + " is an object of strings.");
    all.emplace_back(key, one.as_string());
  }
  return all;
}

Result<model::Item> Asked::item(std::string_view name) const {
  const JsonValue value = body_.get(name);
  if (value.present() && !value.is(JsonValue::Kind::kObject)) {
    return wrong(std::string(name) + " is an object of attribute values.");
  }
  return wire::decode_item(value);
}

}  // namespace partita::admin
