#include "wire/item_reader.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/java_number.h"
#include "model/limits.h"
#include "wire/type_check.h"

namespace partita::wire {
namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Fault;
using model::Number;
using model::refuse;
using model::Type;

// What is wrong with names, which DynamoDB finds behind all that is wrong with values.
class Names {
 public:
  void see(std::string_view name) {
    empty_ = empty_ || name.empty();
    too_long_ = too_long_ || name.size() > model::kMaxAttributeNameBytes;
  }
  Result<void> check() const {
    if (empty_) return refuse(Fault::kEmptyAttributeName);
    if (too_long_) return refuse(Fault::kAttributeNameTooLong);
    return {};
  }

 private:
  bool empty_ = false;
  bool too_long_ = false;
};

Result<AttributeValue> decode(const JsonValue& value, int depth, Names& names);

// The older checks read a number as Java does, so that they have other words for one that is far out of range.
Error out_of_range(std::string_view text, Error error) {
  const Fault fault = model::fault_of(error);
  if (fault != Fault::kNumberOverflow && fault != Fault::kNumberUnderflow) return error;
  const bool above = fault == Fault::kNumberOverflow;
  if (!model::has_scale(text)) {
    return refuse(above ? Fault::kNumberFarAbove : Fault::kNumberFarBelow, {std::string(text)});
  }
  const auto in_java = model::read_as_java(text);
  const bool wraps = above && !in_java.ok() && model::fault_of(in_java.error()) == Fault::kNumberUnderflow;
  return wraps ? refuse(Fault::kNumberWrapsBelow) : error;
}

Result<Number> decode_number(std::string_view text) {
  if (text.empty()) return refuse(Fault::kNumberEmpty);
  auto number = Number::parse(text);
  return number.ok() ? std::move(number) : out_of_range(text, std::move(number).error());
}

constexpr size_t kMaxShownBytes = 64 * 1024;  // as much as any message holds

// The elements as they were sent, for the text that complains of doubles.
std::string as_sent(const JsonValue& list) {
  std::string out;
  for (const JsonValue element : list.elements()) {
    if (out.size() > kMaxShownBytes) break;
    out += out.empty() ? "[" : ", ";
    out += element.as_string();
  }
  return out + "]";
}

// The same in newer words: quoted, and those before the first double in order. `member_of` gives an element's value.
std::string as_met(const JsonValue& list, std::string_view comma, std::string (*member_of)(const JsonValue&)) {
  std::map<std::string, std::string_view> before;
  std::string rest;
  size_t shown = 0;
  for (const JsonValue element : list.elements()) {
    if (shown > kMaxShownBytes) break;
    const std::string_view text = element.as_string();
    shown += text.size() + 1;
    if (rest.empty() && before.try_emplace(member_of(element), text).second) continue;
    rest.append(comma).append(1, '"').append(text).append(1, '"');
  }
  std::string out;
  for (const auto& [member, text] : before) {
    out.append(out.empty() ? "[" : comma).append(1, '"').append(text).append(1, '"');
  }
  return out + rest + "]";
}

std::string text_of(const JsonValue& value) { return std::string(value.as_string()); }

template <class Member>
bool has_double(std::vector<Member>& members) {
  std::sort(members.begin(), members.end());
  return std::adjacent_find(members.begin(), members.end()) != members.end();
}

Result<void> check_set(const JsonValue& list, Fault empty, Result<void> (*check)(const JsonValue&)) {
  PARTITA_TRY_VOID(check_list(list, Place::kField));
  if (list.size() == 0) return refuse(empty);
  for (const JsonValue element : list.elements()) {
    if (!element.present()) return refuse(Fault::kNullInSet);
    PARTITA_TRY_VOID(check(element));
  }
  return {};
}

Result<AttributeValue> decode_string_set(const JsonValue& list) {
  PARTITA_TRY_VOID(check_set(list, Fault::kEmptyStringSet, check_string));
  std::vector<std::string> members;
  members.reserve(list.size());
  for (const JsonValue element : list.elements()) members.emplace_back(element.as_string());
  if (has_double(members)) return refuse(Fault::kDuplicateInStringSet, {as_sent(list), as_met(list, ", ", text_of)});
  return AttributeValue::string_set(std::move(members));
}

Result<AttributeValue> decode_number_set(const JsonValue& list) {
  PARTITA_TRY_VOID(check_set(list, Fault::kEmptyNumberSet, check_string));
  std::vector<Number> members;
  members.reserve(list.size());
  for (const JsonValue element : list.elements()) {
    PARTITA_TRY(Number number, decode_number(element.as_string()));
    members.push_back(number);
  }
  if (has_double(members)) return refuse(Fault::kDuplicateInNumberSet);
  return AttributeValue::number_set(std::move(members));
}

std::string decode_blob(const JsonValue& value) {
  std::optional<std::string> bytes = decode_base64(value.as_string());
  PARTITA_CHECK(bytes.has_value());  // check_blob has passed it
  return *std::move(bytes);
}

Result<AttributeValue> decode_binary_set(const JsonValue& list) {
  PARTITA_TRY_VOID(check_set(list, Fault::kEmptyBinarySet, check_blob));
  std::vector<std::string> members;
  members.reserve(list.size());
  for (const JsonValue element : list.elements()) members.push_back(decode_blob(element));
  if (has_double(members)) {
    return refuse(Fault::kDuplicateInBinarySet, {as_sent(list), as_met(list, ",", decode_blob)});
  }
  return AttributeValue::binary_set(std::move(members));
}

Result<AttributeValue> decode_list(const JsonValue& list, int depth, Names& names) {
  PARTITA_TRY_VOID(check_list(list, Place::kField));
  AttributeValue::List members;
  members.reserve(list.size());
  for (const JsonValue element : list.elements()) {
    PARTITA_TRY(AttributeValue member, decode(element, depth, names));
    members.push_back(std::move(member));
  }
  return AttributeValue::list(std::move(members));
}

// Names are sorted before the map is built, so that a map of many unsorted names costs no more than a sort.
Result<AttributeMap> decode_map(const JsonValue& map, int depth, Names& names) {
  PARTITA_TRY_VOID(check_map(map, "com.amazonaws.dynamodb.v20120810.AttributeValue", Place::kField));
  std::vector<JsonValue::Member> members;
  members.reserve(map.size());
  bool sorted = true;
  for (const JsonValue::Member member : map.members()) {
    sorted = sorted && (members.empty() || members.back().name < member.name);
    members.push_back(member);
  }
  // Doubles keep the order of the text, in which their names lie in memory.
  const auto by_name = [](const JsonValue::Member& a, const JsonValue::Member& b) {
    const auto order = a.name <=> b.name;
    return order != 0 ? order < 0 : std::less<>()(a.name.data(), b.name.data());
  };
  if (!sorted) std::sort(members.begin(), members.end(), by_name);
  AttributeMap decoded;
  decoded.reserve(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    if (i + 1 < members.size() && members[i].name == members[i + 1].name) continue;  // the last one counts
    names.see(members[i].name);
    PARTITA_TRY(AttributeValue value, decode(members[i].value, depth, names));
    decoded.set(std::string(members[i].name), std::move(value));
  }
  return decoded;
}

Result<AttributeValue> decode_scalar(Type type, const JsonValue& value) {
  if (type == Type::kBool || type == Type::kNull) {
    PARTITA_TRY_VOID(check_boolean(value));
    if (type == Type::kBool) return AttributeValue::boolean(truth_of(value));
    if (!truth_of(value)) return refuse(Fault::kNullNotTrue);
    return AttributeValue::null();
  }
  if (type == Type::kB) {
    PARTITA_TRY_VOID(check_blob(value));
    return AttributeValue::binary(decode_blob(value));
  }
  PARTITA_TRY_VOID(check_string(value));
  if (type == Type::kS) return AttributeValue::string(std::string(value.as_string()));
  PARTITA_TRY(Number number, decode_number(value.as_string()));
  return AttributeValue::number(number);
}

Result<AttributeValue> decode_typed(Type type, const JsonValue& value, int depth, Names& names) {
  switch (type) {
    case Type::kM: {
      PARTITA_TRY(AttributeMap map, decode_map(value, depth + 1, names));
      return AttributeValue::map(std::move(map));
    }
    case Type::kL:
      return decode_list(value, depth + 1, names);
    case Type::kSS:
      return decode_string_set(value);
    case Type::kNS:
      return decode_number_set(value);
    case Type::kBS:
      return decode_binary_set(value);
    default:
      return decode_scalar(type, value);
  }
}

// `depth` counts the maps and lists around the value.
Result<AttributeValue> decode(const JsonValue& value, int depth, Names& names) {
  if (depth >= model::kMaxNestingDepth) return refuse(Fault::kNestingTooDeep);
  PARTITA_TRY_VOID(check_structure(value, "AttributeValue", Place::kElement));
  std::optional<AttributeValue> decoded;
  std::optional<Type> first;
  bool ambiguous = false;
  for (const auto [name, member] : value.members()) {
    const std::optional<Type> type = type_named(name);
    if (!type || !member.present()) continue;
    // The fault of any datatype comes before the fault of there being two.
    PARTITA_TRY(decoded, decode_typed(*type, member, depth, names));
    ambiguous = ambiguous || (first && *first != *type);
    first = type;
  }
  if (!decoded) return refuse(Fault::kEmptyAttributeValue);
  if (ambiguous) return refuse(Fault::kAmbiguousAttributeValue);
  return *std::move(decoded);
}

}  // namespace

Result<AttributeValue> decode_value(const JsonValue& value) {
  Names names;
  PARTITA_TRY(AttributeValue decoded, decode(value, 0, names));
  PARTITA_TRY_VOID(names.check());
  return decoded;
}

Result<model::Item> decode_item(const JsonValue& map) {
  if (map.get("").present()) return refuse(Fault::kEmptyAttributeName);
  Names names;
  PARTITA_TRY(model::Item decoded, decode_map(map, 0, names));
  PARTITA_TRY_VOID(names.check());
  return decoded;
}

}  // namespace partita::wire
