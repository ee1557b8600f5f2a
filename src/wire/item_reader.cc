#include "wire/item_reader.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "model/item_writer.h"
#include "model/java_number.h"
#include "model/limits.h"
#include "wire/type_check.h"

namespace partita::wire {
namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Fault;
using model::ItemWriter;
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

// This and the ones below make `out` what the JSON says; after a fault it is anything.
Result<void> decode(const JsonValue& value, int depth, Names& names, AttributeValue& out);

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
  PARTITA_TRY_VOID(check_list(list, ValuePlace::kField));
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

Result<void> decode_list(const JsonValue& list, int depth, Names& names, AttributeValue& out) {
  PARTITA_TRY_VOID(check_list(list, ValuePlace::kField));
  AttributeValue::List members;
  members.reserve(list.size());
  for (const JsonValue element : list.elements()) {
    PARTITA_TRY_VOID(decode(element, depth, names, members.emplace_back()));
  }
  out = AttributeValue::list(std::move(members));
  return {};
}

// The first letters usually decide.
bool precedes(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a[0] == b[0]) return a < b;
  return static_cast<uint8_t>(a[0]) < static_cast<uint8_t>(b[0]);
}

// The members of a map in the order of their names, and of the text where names are equal. Few need no memory.
class SortedMembers {
 public:
  explicit SortedMembers(const JsonValue& map) : many_(map.size() > kFew ? map.size() : 0) {
    all_ = many_.empty() ? std::span(few_.members, map.size()) : std::span(many_);
    bool sorted = true;
    size_t count = 0;
    for (const JsonValue::Member member : map.members()) {
      sorted = sorted && (count == 0 || precedes(all_[count - 1].name, member.name));
      std::construct_at(&all_[count++], member);
    }
    // Doubles keep the order of the text, in which their names lie in memory.
    const auto by_name = [](const JsonValue::Member& a, const JsonValue::Member& b) {
      return precedes(a.name, b.name) || (a.name == b.name && std::less<>()(a.name.data(), b.name.data()));
    };
    if (!sorted) std::sort(all_.begin(), all_.end(), by_name);
  }
  SortedMembers(const SortedMembers&) = delete;
  SortedMembers& operator=(const SortedMembers&) = delete;

  size_t size() const { return all_.size(); }
  const JsonValue::Member& operator[](size_t i) const { return all_[i]; }
  const JsonValue::Member* begin() const { return all_.data(); }
  const JsonValue::Member* end() const { return begin() + size(); }
  // Of two members of one name the last one counts.
  bool counts(size_t i) const { return i + 1 == all_.size() || all_[i].name != all_[i + 1].name; }

 private:
  static constexpr size_t kFew = 16;
  union Few {  // only the members in use are constructed
    Few() {}
    JsonValue::Member members[kFew];
  };
  Few few_;
  std::vector<JsonValue::Member> many_;
  std::span<JsonValue::Member> all_;
};

// Names are sorted before the map is built, so that a map of many unsorted names costs no more than a sort.
Result<void> decode_members(const SortedMembers& members, int depth, Names& names, AttributeMap& out) {
  out.reserve(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    if (!members.counts(i)) continue;
    names.see(members[i].name);
    PARTITA_TRY_VOID(decode(members[i].value, depth, names, out.set(std::string(members[i].name), AttributeValue())));
  }
  return {};
}

Result<void> check_map_of_values(const JsonValue& map) {
  return check_map(map, "com.amazonaws.dynamodb.v20120810.AttributeValue", ValuePlace::kField);
}

Result<void> decode_map(const JsonValue& map, int depth, Names& names, AttributeValue& out) {
  PARTITA_TRY_VOID(check_map_of_values(map));
  AttributeMap members;
  PARTITA_TRY_VOID(decode_members(SortedMembers(map), depth, names, members));
  out = AttributeValue::map(std::move(members));
  return {};
}

Result<void> decode_scalar(Type type, const JsonValue& value, AttributeValue& out) {
  if (type == Type::kBool || type == Type::kNull) {
    PARTITA_TRY_VOID(check_boolean(value));
    if (type == Type::kNull && !truth_of(value)) return refuse(Fault::kNullNotTrue);
    out = type == Type::kBool ? AttributeValue::boolean(truth_of(value)) : AttributeValue::null();
    return {};
  }
  if (type == Type::kB) {
    PARTITA_TRY_VOID(check_blob(value));
    out = AttributeValue::binary(decode_blob(value));
    return {};
  }
  PARTITA_TRY_VOID(check_string(value));
  if (type == Type::kS) {
    out = AttributeValue::string(std::string(value.as_string()));
    return {};
  }
  PARTITA_TRY(const Number number, decode_number(value.as_string()));
  out = AttributeValue::number(number);
  return {};
}

Result<void> decode_typed(Type type, const JsonValue& value, int depth, Names& names, AttributeValue& out) {
  switch (type) {
    case Type::kM:
      return decode_map(value, depth + 1, names, out);
    case Type::kL:
      return decode_list(value, depth + 1, names, out);
    case Type::kSS: {
      PARTITA_TRY(out, decode_string_set(value));
      return {};
    }
    case Type::kNS: {
      PARTITA_TRY(out, decode_number_set(value));
      return {};
    }
    case Type::kBS: {
      PARTITA_TRY(out, decode_binary_set(value));
      return {};
    }
    default:
      return decode_scalar(type, value, out);
  }
}

// A value of one text, as most are. False, and nothing has happened, for any other, and for a number that is none.
bool decode_usual(const JsonValue& value, AttributeValue& out) {
  if (value.size() != 1) return false;
  for (const auto [name, member] : value.members()) {
    if (name.size() != 1 || !member.is(JsonValue::Kind::kString)) return false;
    if (name[0] == 'S') {
      out = AttributeValue::string(std::string(member.as_string()));
      return true;
    }
    if (name[0] != 'N') return false;
    const Result<Number> number = Number::parse(member.as_string());
    if (number.ok()) out = AttributeValue::number(*number);
    return number.ok();
  }
  return false;
}

// `depth` counts the maps and lists around the value; it may be one less, for one level more.
Result<void> decode(const JsonValue& value, int depth, Names& names, AttributeValue& out) {
  if (depth >= model::kMaxNestingDepth) return refuse(Fault::kNestingTooDeep);
  if (decode_usual(value, out)) return {};
  PARTITA_TRY_VOID(check_structure(value, "AttributeValue", ValuePlace::kElement));
  std::optional<Type> first;
  bool ambiguous = false;
  for (const auto [name, member] : value.members()) {
    const std::optional<Type> type = type_named(name);
    if (!type || !member.present()) continue;
    // The fault of any datatype comes before the fault of there being two.
    PARTITA_TRY_VOID(decode_typed(*type, member, depth, names, out));
    ambiguous = ambiguous || (first && *first != *type);
    first = type;
  }
  if (!first) return refuse(Fault::kEmptyAttributeValue);
  if (ambiguous) return refuse(Fault::kAmbiguousAttributeValue);
  return {};
}

// From the parser's tape to stored bytes. False for what has to be looked at as a whole, since there may be a fault in
// it: what was written is of no use then.
bool write_members(const SortedMembers& members, int depth, ItemWriter& out);

bool write_list(const JsonValue& list, int depth, ItemWriter& out);

// Of an object that has one; nothing for every other value.
std::optional<JsonValue::Member> only_member(const JsonValue& value) {
  if (!value.is(JsonValue::Kind::kObject) || value.size() != 1) return std::nullopt;
  return *value.members().begin();
}

bool write_usual(const JsonValue& value, int depth, ItemWriter& out) {
  const auto only = only_member(value);
  if (depth >= model::kMaxNestingDepth || !only) return false;
  const auto& [name, member] = *only;
  const std::optional<Type> type = type_named(name);
  if (type == Type::kS && member.is(JsonValue::Kind::kString)) return out.string(member.as_string()), true;
  if (type == Type::kN && member.is(JsonValue::Kind::kString)) {
    const Result<Number> number = Number::parse(member.as_string());
    if (number.ok()) out.number(*number);
    return number.ok();
  }
  if (type == Type::kM && member.is(JsonValue::Kind::kObject)) {
    const SortedMembers members(member);
    const ItemWriter::Container map = out.begin(Type::kM, members.size());
    const bool written = write_members(members, depth + 1, out);
    out.end(map);
    return written;
  }
  if (type == Type::kL && member.is(JsonValue::Kind::kArray)) return write_list(member, depth + 1, out);
  Names names;
  AttributeValue decoded;
  const bool ok = decode(value, depth, names, decoded).ok();
  if (ok) out.value(decoded);
  return ok;
}

bool write_list(const JsonValue& list, int depth, ItemWriter& out) {
  const ItemWriter::Container container = out.begin(Type::kL, list.size());
  for (const JsonValue element : list.elements()) {
    if (!write_usual(element, depth, out)) return false;
  }
  out.end(container);
  return true;
}

bool write_members(const SortedMembers& members, int depth, ItemWriter& out) {
  Names names;
  for (size_t i = 0; i < members.size(); ++i) {
    if (!members.counts(i)) return false;
    names.see(members[i].name);
    out.name(members[i].name);
    if (!write_usual(members[i].value, depth, out)) return false;
  }
  return names.check().ok();
}

// About what an item takes, mostly more: its texts stand one behind the other in the parser's memory.
size_t expected_bytes(const SortedMembers& members) {
  if (members.size() == 0) return 0;
  const auto place = [](const JsonValue::Member& member) { return member.name.data(); };
  const auto [first, last] = std::ranges::minmax_element(members, std::less<>(), place);
  const auto only = only_member(last->value);
  const size_t rest = only && only->value.is(JsonValue::Kind::kString) ? only->value.as_string().size() : 0;
  constexpr size_t kOverhead = 32;
  return static_cast<size_t>(place(*last) - place(*first)) + last->name.size() + rest + kOverhead;
}

}  // namespace

Result<AttributeValue> decode_value(const JsonValue& value, Nesting nesting) {
  Names names;
  AttributeValue decoded;
  PARTITA_TRY_VOID(decode(value, nesting == Nesting::kAlone ? -1 : 0, names, decoded));
  PARTITA_TRY_VOID(names.check());
  return decoded;
}

Result<model::Item> decode_item(const JsonValue& map) {
  PARTITA_TRY_VOID(check_map_of_values(map));
  const SortedMembers members(map);
  if (members.size() > 0 && members[0].name.empty() && map.get("").present()) {
    return refuse(Fault::kEmptyAttributeName);
  }
  Names names;
  model::Item decoded;
  PARTITA_TRY_VOID(decode_members(members, 0, names, decoded));
  PARTITA_TRY_VOID(names.check());
  return decoded;
}

Result<std::string> decode_encoded_item(const JsonValue& map) {
  if (map.is(JsonValue::Kind::kObject)) {
    const SortedMembers members(map);
    ItemWriter out(expected_bytes(members));
    out.members(members.size());
    if (write_members(members, 0, out)) return std::move(out).take();
  }
  PARTITA_TRY(const model::Item item, decode_item(map));
  return model::encode_item(item);
}

}  // namespace partita::wire
