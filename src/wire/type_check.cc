#include "wire/type_check.h"

#include <array>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "model/fault.h"

namespace partita::wire {
namespace {

using model::Type;
using Kind = JsonValue::Kind;

constexpr std::string_view kModel = "com.amazonaws.dynamodb.v20120810.";
// What AWS lets slip out where a list or a map stands inside another one.
constexpr std::string_view kNoClass =
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class "
    "(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of "
    "loader 'bootstrap')";
constexpr std::string_view kStructureNotExpected = "Start of structure or map found where not expected";

Error serialization(std::string_view sentence) {
  return model::refuse(model::Fault::kSerialization, {std::string(sentence)});
}

std::string_view token_name(const JsonValue& value) {
  switch (value.kind()) {
    case Kind::kBoolean:
      return value.as_boolean() ? "TRUE_VALUE" : "FALSE_VALUE";
    case Kind::kInteger:
      return "NUMBER_VALUE";
    case Kind::kDecimal:
      return "DECIMAL_VALUE";
    default:
      return "STRING_VALUE";
  }
}

// Something other than the scalar of that Java class.
Error not_a(std::string_view java_name, const JsonValue& value) {
  if (value.is(Kind::kArray))
    return serialization("Unrecognized collection type class java.lang." + std::string(java_name));
  if (value.is(Kind::kObject)) return serialization(kStructureNotExpected);
  return serialization(std::string(token_name(value)) + " cannot be converted to " + std::string(java_name));
}

std::optional<bool> truth_in(std::string_view word) {
  std::array<char, 5> upper{};
  if (word.size() > upper.size()) return std::nullopt;
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    upper[i] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  const std::string_view text(upper.data(), word.size());
  if (text == "TRUE" || text == "YES" || text == "1") return true;
  if (text == "FALSE" || text == "NO" || text == "0") return false;
  return std::nullopt;
}

template <Result<void> (*check)(const JsonValue&)>
Result<void> check_list_of(const JsonValue& list) {
  PARTITA_TRY_VOID(check_list(list, ValuePlace::kField));
  for (const JsonValue element : list.elements()) PARTITA_TRY_VOID(check(element));
  return {};
}

Result<void> check_list_of_values(const JsonValue& list) {
  PARTITA_TRY_VOID(check_list(list, ValuePlace::kField));
  for (const JsonValue element : list.elements())
    PARTITA_TRY_VOID(check_attribute_value(element, ValuePlace::kElement));
  return {};
}

Result<void> check_attribute_map(const JsonValue& map) {
  PARTITA_TRY_VOID(check_map(map, "com.amazonaws.dynamodb.v20120810.AttributeValue", ValuePlace::kField));
  for (const auto [name, member] : map.members()) PARTITA_TRY_VOID(check_attribute_value(member, ValuePlace::kElement));
  return {};
}

bool is_string(const JsonValue& value) { return value.is(Kind::kString); }

template <bool (*is_one)(const JsonValue&)>
bool is_list_of(const JsonValue& list) {
  if (!list.is(Kind::kArray)) return false;
  for (const JsonValue element : list.elements()) {
    if (!is_one(element)) return false;
  }
  return true;
}

bool is_map_of_values(const JsonValue& map) {
  if (!map.is(Kind::kObject)) return false;
  for (const auto [name, member] : map.members()) {
    if (!is_attribute_value(member)) return false;
  }
  return true;
}

bool is_datatype(Type type, const JsonValue& value) {
  switch (type) {
    case Type::kS:
    case Type::kN:
      return is_string(value);
    case Type::kB:
      return is_blob(value);
    case Type::kBool:
    case Type::kNull:
      return value.is(Kind::kBoolean);
    case Type::kM:
      return is_map_of_values(value);
    case Type::kL:
      return is_list_of<is_attribute_value>(value);
    case Type::kSS:
    case Type::kNS:
      return is_list_of<is_string>(value);
    case Type::kBS:
      return is_list_of<is_blob>(value);
  }
  return false;
}

Result<void> check_datatype(Type type, const JsonValue& value) {
  switch (type) {
    case Type::kS:
    case Type::kN:
      return check_string(value);
    case Type::kB:
      return check_blob(value);
    case Type::kBool:
    case Type::kNull:
      return check_boolean(value);
    case Type::kM:
      return check_attribute_map(value);
    case Type::kL:
      return check_list_of_values(value);
    case Type::kSS:
    case Type::kNS:
      return check_list_of<check_string>(value);
    case Type::kBS:
      return check_list_of<check_blob>(value);
  }
  return {};
}

}  // namespace

Result<void> check_string(const JsonValue& value) {
  if (value.is(Kind::kString) || !value.present()) return {};
  return not_a("String", value);
}

Result<void> check_boolean(const JsonValue& value) {
  if (value.is(Kind::kBoolean) || !value.present()) return {};
  if (!value.is(Kind::kString)) return not_a("Boolean", value);
  if (truth_in(value.as_string())) return {};
  return serialization("Unexpected token received from parser");
}

Result<void> check_number(const JsonValue& value, std::string_view java_name) {
  if (value.is(Kind::kInteger) || value.is(Kind::kDecimal) || !value.present()) return {};
  return not_a(java_name, value);
}

Result<void> check_whole(const JsonValue& value, std::string_view java_name) {
  if (value.is(Kind::kInteger) || !value.present()) return {};
  return not_a(java_name, value);
}

Result<void> check_blob(const JsonValue& value) {
  if (!value.present()) return {};
  if (value.is(Kind::kArray)) return serialization("Unrecognized collection type class java.nio.ByteBuffer");
  if (value.is(Kind::kObject)) return serialization(kStructureNotExpected);
  if (!value.is(Kind::kString)) return serialization("only base-64-encoded strings are convertible to bytes");
  const std::string_view text = value.as_string();
  if (text.size() % 4 != 0) {
    return serialization("Base64 encoded length is expected a multiple of 4 bytes but found: " +
                         std::to_string(text.size()));
  }
  if (!is_base64(text)) return serialization("Invalid last non-pad Base64 character dectected");  // AWS's spelling
  return {};
}

Result<void> check_list(const JsonValue& value, ValuePlace place) {
  if (value.is(Kind::kArray) || !value.present()) return {};
  if (value.is(Kind::kObject)) return serialization(kStructureNotExpected);
  return serialization(place == ValuePlace::kField ? "Unexpected field type" : kNoClass);
}

Result<void> check_map(const JsonValue& value, std::string_view java_element, ValuePlace place) {
  if (value.is(Kind::kObject) || !value.present()) return {};
  if (value.is(Kind::kArray)) {
    return serialization("Unrecognized collection type java.util.Map<java.lang.String, " + std::string(java_element) +
                         ">");
  }
  return serialization(place == ValuePlace::kField ? "Unexpected field type" : kNoClass);
}

Result<void> check_structure(const JsonValue& value, std::string_view java_name, ValuePlace place) {
  if (value.is(Kind::kObject) || !value.present()) return {};
  if (value.is(Kind::kArray)) {
    return serialization("Unrecognized collection type class " + std::string(kModel) + std::string(java_name));
  }
  return serialization(place == ValuePlace::kField ? "Unexpected field type" : "Unexpected value type in payload");
}

Result<void> check_attribute_value(const JsonValue& value, ValuePlace place) {
  PARTITA_TRY_VOID(check_structure(value, "AttributeValue", place));
  for (const auto [name, member] : value.members()) {
    const std::optional<Type> type = type_named(name);  // what the model does not know is passed over
    if (type && member.present()) PARTITA_TRY_VOID(check_datatype(*type, member));
  }
  return {};
}

bool is_blob(const JsonValue& value) {
  return value.is(Kind::kString) && value.as_string().size() % 4 == 0 && is_base64(value.as_string());
}

bool is_attribute_value(const JsonValue& value) {
  if (!value.is(Kind::kObject)) return false;
  for (const auto [name, member] : value.members()) {
    const std::optional<Type> type = type_named(name);
    if (type && member.present() && !is_datatype(*type, member)) return false;
  }
  return true;
}

std::optional<Type> type_named(std::string_view name) {
  if (name.size() == 1) {
    switch (name[0]) {
      case 'S':
        return Type::kS;
      case 'N':
        return Type::kN;
      case 'B':
        return Type::kB;
      case 'M':
        return Type::kM;
      case 'L':
        return Type::kL;
      default:
        return std::nullopt;
    }
  }
  if (name == "BOOL") return Type::kBool;
  if (name == "NULL") return Type::kNull;
  if (name == "SS") return Type::kSS;
  if (name == "NS") return Type::kNS;
  if (name == "BS") return Type::kBS;
  return std::nullopt;
}

bool truth_of(const JsonValue& value) {
  if (value.is(Kind::kBoolean)) return value.as_boolean();
  const std::optional<bool> truth = truth_in(value.as_string());
  PARTITA_CHECK(truth.has_value());
  return *truth;
}

bool truth(const JsonValue& value, bool otherwise) { return value.present() ? truth_of(value) : otherwise; }

}  // namespace partita::wire
