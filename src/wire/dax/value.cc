#include "wire/dax/value.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/limits.h"

namespace partita::wire::dax {

bool is_unicode(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  const char* at = text.data();
  const char* const end = at + text.size();
  uint64_t high = 0;
  for (; end - at >= 8; at += 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    high |= word;
  }
  for (; at != end; ++at) high |= static_cast<uint8_t>(*at);
  return (high & kHighBits) == 0 || is_utf8(text);
}

namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Fault;
using model::ItemWriter;
using model::Number;
using model::refuse;
using model::Type;

Error no_value(std::string_view what) { return refuse(Fault::kDaxMalformed, {std::string(what)}); }
Error cut_value() { return no_value("an attribute value is malformed"); }

Result<std::string_view> read_text(CborReader& in) {
  const std::string_view text = in.text();
  if (!in.ok()) return cut_value();
  if (!is_unicode(text)) return no_value("a text is not UTF-8");
  return text;
}

// The values inside of a value, at any depth. What is wrong with the names of maps is reported after all that is wrong
// with values.
class Nested {
 public:
  explicit Nested(ValueCount& count) : count_(count) {}

  // What is too large is not read on.
  Result<void> count_value() {
    if (count_.left == 0) return refuse(Fault::kItemTooLarge);
    --count_.left;
    return {};
  }
  // The same of a value that becomes an object.
  Result<void> count_object() {
    // Of a vector that grows, two are there at a time, and one of them is half empty.
    constexpr size_t kBytes = 3 * sizeof(AttributeMap::Entry);
    PARTITA_TRY_VOID(count_value());
    return count_memory(kBytes);
  }
  Result<void> count_memory(size_t bytes) {
    if (!count_.memory.take(bytes)) return refuse(Fault::kOverloaded);
    return {};
  }
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
  ValueCount& count_;
  bool empty_ = false;
  bool too_long_ = false;
};

// Memory is reserved for no more members than this, because a count may be a lie until the members are there.
constexpr uint64_t kTrustedMembers = 32;

template <class Member>
std::vector<Member> room_for(CborReader::Members members) {
  std::vector<Member> room;
  room.reserve(std::min(members.left, kTrustedMembers));
  return room;
}

constexpr size_t kMaxListedBytes = 64 * 1024;  // as much as any message holds

std::string shown(Type type, const std::string& member) {
  if (type == Type::kSS) return member;
  std::string text;
  append_base64(text, member);
  return text;
}

// The members as they came, for the message about duplicates.
std::string listed(Type type, const std::vector<std::string>& members) {
  std::string out;
  for (const std::string& member : members) {
    if (out.size() > kMaxListedBytes) break;
    out.append(out.empty() ? "[" : ", ").append(shown(type, member));
  }
  return out + "]";
}

// The same for the newer message: quoted, and those before the first duplicate sorted.
std::string listed_sorted(Type type, const std::vector<std::string>& members) {
  const std::string_view comma = type == Type::kSS ? ", " : ",";
  size_t distinct = 0;
  for (std::map<std::string_view, bool> seen; distinct < members.size(); ++distinct) {
    if (!seen.try_emplace(members[distinct], true).second) break;
  }
  std::vector<std::string> ordered = members;
  std::sort(ordered.begin(), ordered.begin() + static_cast<ptrdiff_t>(distinct));
  std::string out;
  for (const std::string& member : ordered) {
    if (out.size() > kMaxListedBytes) break;
    out.append(out.empty() ? "[" : comma).append(1, '"').append(shown(type, member)).append(1, '"');
  }
  return out + "]";
}

template <class Member>
bool has_duplicate(std::vector<Member> members) {
  std::sort(members.begin(), members.end());
  return std::adjacent_find(members.begin(), members.end()) != members.end();
}

Result<AttributeValue> read_number_set(CborReader::Members count, CborReader& in, Nested& nested) {
  auto members = room_for<Number>(count);
  while (in.next(count)) {
    PARTITA_TRY_VOID(nested.count_object());
    if (in.take_null()) return refuse(Fault::kNullInSet);
    PARTITA_TRY(const Number number, read_number(in));
    members.push_back(number);
  }
  if (has_duplicate(members)) return refuse(Fault::kDuplicateInNumberSet);
  return AttributeValue::number_set(std::move(members));
}

Result<AttributeValue> read_byte_set(Type type, CborReader::Members count, CborReader& in, Nested& nested) {
  auto members = room_for<std::string>(count);
  while (in.next(count)) {
    PARTITA_TRY_VOID(nested.count_object());
    if (in.take_null()) return refuse(Fault::kNullInSet);
    if (type == Type::kSS) {
      PARTITA_TRY(const std::string_view text, read_text(in));
      members.emplace_back(text);
    } else {
      members.emplace_back(in.bytes());
      if (!in.ok()) return cut_value();
    }
  }
  if (has_duplicate(members)) {
    return refuse(type == Type::kSS ? Fault::kDuplicateInStringSet : Fault::kDuplicateInBinarySet,
                  {listed(type, members), listed_sorted(type, members)});
  }
  return type == Type::kSS ? AttributeValue::string_set(std::move(members))
                           : AttributeValue::binary_set(std::move(members));
}

Result<AttributeValue> read_set(uint64_t tag, CborReader& in, Nested& nested) {
  const auto members = in.array();
  if (!in.ok() || members.indefinite()) return cut_value();
  if (members.left == 0) {
    return refuse(tag == kStringSetTag   ? Fault::kEmptyStringSet
                  : tag == kNumberSetTag ? Fault::kEmptyNumberSet
                                         : Fault::kEmptyBinarySet);
  }
  if (tag == kNumberSetTag) return read_number_set(members, in, nested);
  return read_byte_set(tag == kStringSetTag ? Type::kSS : Type::kBS, members, in, nested);
}

bool is_set_tag(const CborHead& head) {
  return head.major == CborMajor::kTag && head.argument >= kStringSetTag && head.argument <= kBinarySetTag;
}

bool is_float(uint8_t first) {
  const uint8_t low = first & 0x1f;
  return low == kCborFloat || low == kCborDouble;
}

// This and those below make `out` the value; after an error it is anything. `depth` counts the maps and lists around
// the value, as in wire/item_reader.cc.
Result<void> read_at(CborReader& in, int depth, Nested& nested, AttributeValue& out);

Result<void> read_list(CborReader& in, int depth, Nested& nested, AttributeValue& out) {
  auto members = in.array();
  if (!in.ok() || members.indefinite()) return cut_value();
  auto list = room_for<AttributeValue>(members);
  while (in.next(members)) PARTITA_TRY_VOID(read_at(in, depth, nested, list.emplace_back()));
  out = AttributeValue::list(std::move(list));
  return {};
}

Result<void> read_map(CborReader& in, int depth, Nested& nested, AttributeValue& out) {
  auto members = in.map();
  if (!in.ok() || members.indefinite()) return cut_value();
  auto entries = room_for<AttributeMap::Entry>(members);
  while (in.next(members)) {
    PARTITA_TRY(const std::string_view name, read_text(in));
    nested.see(name);
    entries.push_back({std::string(name), AttributeValue()});
    PARTITA_TRY_VOID(read_at(in, depth, nested, entries.back().value));
  }
  const size_t count = entries.size();
  out = AttributeValue::map(AttributeMap::of(std::move(entries)));
  if (out.as_map().size() != count) return no_value("a map has a name twice");
  return {};
}

Result<void> read_tagged(CborReader& in, Nested& nested, AttributeValue& out) {
  const CborHead head = in.head();
  if (is_set_tag(head)) {
    PARTITA_TRY(out, read_set(head.argument, in, nested));
    return {};
  }
  PARTITA_TRY(const Number number, read_number_behind(head, in));
  out = AttributeValue::number(number);
  return {};
}

Result<void> read_simple(CborReader& in, Nested& nested, AttributeValue& out) {
  if (is_float(in.peek())) return read_tagged(in, nested, out);
  out = in.take_null() ? AttributeValue::null() : AttributeValue::boolean(in.boolean());
  if (!in.ok()) return cut_value();
  return {};
}

Result<void> read_at(CborReader& in, int depth, Nested& nested, AttributeValue& out) {
  if (depth >= model::kMaxNestingDepth) return refuse(Fault::kNestingTooDeep);
  PARTITA_TRY_VOID(nested.count_object());
  switch (in.peek_major()) {
    case CborMajor::kText: {
      PARTITA_TRY(const std::string_view text, read_text(in));
      out = AttributeValue::string(std::string(text));
      return {};
    }
    case CborMajor::kBytes:
      out = AttributeValue::binary(std::string(in.bytes()));
      if (!in.ok()) return cut_value();
      return {};
    case CborMajor::kArray:
      return read_list(in, depth + 1, nested, out);
    case CborMajor::kMap:
      return read_map(in, depth + 1, nested, out);
    case CborMajor::kSimple:
      return read_simple(in, nested, out);
    default:
      return read_tagged(in, nested, out);
  }
}

// The same into the stored form.
Result<void> copy_at(CborReader& in, int depth, Nested& nested, ItemWriter& out);

// Where the members of a map were written, in case that their names are not sorted. Few need no memory.
class WrittenMembers {
 public:
  // A further one takes about as much.
  static constexpr size_t kMemberBytes = 128;
  bool takes_memory() const { return count_ >= few_.size(); }

  void add(std::string_view name, size_t begin) {
    sorted_ = sorted_ && (count_ == 0 || last_ < name);
    last_ = name;
    if (count_ < few_.size()) {
      few_[count_] = {name, begin, 0};
    } else {
      if (count_ == few_.size()) many_.assign(few_.begin(), few_.end());
      many_.push_back({name, begin, 0});
    }
    ++count_;
  }
  // Brings them into the order of their names.
  Result<void> sort(ItemWriter& out) {
    if (sorted_) return {};
    if (many_.empty()) many_.assign(few_.begin(), few_.begin() + static_cast<ptrdiff_t>(count_));
    for (size_t i = 0; i < count_; ++i) many_[i].end = i + 1 < count_ ? many_[i + 1].begin : out.position();
    std::sort(many_.begin(), many_.end(), [](const Member& a, const Member& b) { return a.name < b.name; });
    std::vector<ItemWriter::Part> parts;
    parts.reserve(count_);
    for (size_t i = 0; i < count_; ++i) {
      if (i > 0 && many_[i].name == many_[i - 1].name) return no_value("a map has a name twice");
      parts.push_back({many_[i].begin, many_[i].end});
    }
    out.reorder(parts);
    return {};
  }

 private:
  struct Member {
    std::string_view name;
    size_t begin;
    size_t end;
  };
  std::array<Member, 16> few_;
  std::vector<Member> many_;
  std::string_view last_;
  size_t count_ = 0;
  bool sorted_ = true;
};

Result<void> copy_map(CborReader& in, int depth, Nested& nested, ItemWriter& out) {
  auto members = in.map();
  if (!in.ok() || members.indefinite()) return cut_value();
  const ItemWriter::Container map = out.begin(Type::kM, members.left);
  WrittenMembers written;
  while (in.next(members)) {
    PARTITA_TRY(const std::string_view name, read_text(in));
    nested.see(name);
    if (written.takes_memory()) PARTITA_TRY_VOID(nested.count_memory(WrittenMembers::kMemberBytes));
    written.add(name, out.position());
    out.name(name);
    PARTITA_TRY_VOID(copy_at(in, depth, nested, out));
  }
  PARTITA_TRY_VOID(written.sort(out));
  out.end(map);
  return {};
}

Result<void> copy_list(CborReader& in, int depth, Nested& nested, ItemWriter& out) {
  auto members = in.array();
  if (!in.ok() || members.indefinite()) return cut_value();
  const ItemWriter::Container list = out.begin(Type::kL, members.left);
  while (in.next(members)) PARTITA_TRY_VOID(copy_at(in, depth, nested, out));
  out.end(list);
  return {};
}

Result<void> copy_tagged(CborReader& in, Nested& nested, ItemWriter& out) {
  const CborHead head = in.head();
  if (is_set_tag(head)) {
    PARTITA_TRY(const AttributeValue set, read_set(head.argument, in, nested));
    out.value(set);
    return {};
  }
  PARTITA_TRY(const Number number, read_number_behind(head, in));
  out.number(number);
  return {};
}

Result<void> copy_simple(CborReader& in, Nested& nested, ItemWriter& out) {
  if (is_float(in.peek())) return copy_tagged(in, nested, out);
  if (in.take_null()) {
    out.null();
    return {};
  }
  out.boolean(in.boolean());
  if (!in.ok()) return cut_value();
  return {};
}

Result<void> copy_at(CborReader& in, int depth, Nested& nested, ItemWriter& out) {
  if (depth >= model::kMaxNestingDepth) return refuse(Fault::kNestingTooDeep);
  PARTITA_TRY_VOID(nested.count_value());
  switch (in.peek_major()) {
    case CborMajor::kText: {
      PARTITA_TRY(const std::string_view text, read_text(in));
      out.string(text);
      return {};
    }
    case CborMajor::kBytes:
      out.binary(in.bytes());
      if (!in.ok()) return cut_value();
      return {};
    case CborMajor::kArray:
      return copy_list(in, depth + 1, nested, out);
    case CborMajor::kMap:
      return copy_map(in, depth + 1, nested, out);
    case CborMajor::kSimple:
      return copy_simple(in, nested, out);
    default:
      return copy_tagged(in, nested, out);
  }
}

void write_set(CborWriter& out, const AttributeValue& value) {
  const Type type = value.type();
  if (type == Type::kNS) {
    out.tag(kNumberSetTag);
    out.array(value.as_number_set().size());
    for (const Number& number : value.as_number_set()) write_number(out, number);
    return;
  }
  const auto& members = type == Type::kSS ? value.as_string_set() : value.as_binary_set();
  out.tag(type == Type::kSS ? kStringSetTag : kBinarySetTag);
  out.array(members.size());
  for (const std::string& member : members) {
    if (type == Type::kSS) {
      out.text(member);
    } else {
      out.bytes(member);
    }
  }
}

}  // namespace

Result<AttributeValue> read_value(CborReader& in, Nesting nesting) {
  DecodedBytes memory;
  ValueCount count{memory};
  return read_value(in, nesting, count);
}

Result<AttributeValue> read_value(CborReader& in, Nesting nesting, ValueCount& count) {
  Nested nested(count);
  AttributeValue value;
  Result<void> read = read_at(in, nesting == Nesting::kAlone ? -1 : 0, nested, value);
  if (read.ok()) read = nested.check();
  if (read.ok()) return value;
  in.fail();
  return std::move(read).error();
}

Result<void> copy_value(CborReader& in, ItemWriter& out) {
  DecodedBytes memory;
  ValueCount count{memory};
  return copy_value(in, out, count);
}

Result<void> copy_value(CborReader& in, ItemWriter& out, ValueCount& count) {
  Nested nested(count);
  Result<void> copied = copy_at(in, 0, nested, out);
  if (copied.ok()) copied = nested.check();
  if (!copied.ok()) in.fail();
  return copied;
}

void write_value(CborWriter& out, const AttributeValue& value) {
  switch (value.type()) {
    case Type::kS:
      return out.text(value.as_string());
    case Type::kN:
      return write_number(out, value.as_number());
    case Type::kB:
      return out.bytes(value.as_binary());
    case Type::kBool:
      return out.boolean(value.as_bool());
    case Type::kNull:
      return out.null();
    case Type::kM:
      out.map(value.as_map().size());
      for (const auto& [name, member] : value.as_map()) {
        out.text(name);
        write_value(out, member);
      }
      return;
    case Type::kL:
      out.array(value.as_list().size());
      for (const AttributeValue& member : value.as_list()) write_value(out, member);
      return;
    default:
      return write_set(out, value);
  }
}

}  // namespace partita::wire::dax
