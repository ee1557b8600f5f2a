#include "wire/dax/key.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "model/fault.h"
#include "wire/dax/lex_decimal.h"
#include "wire/dax/number.h"
#include "wire/dax/value.h"

namespace partita::wire::dax {
namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Fault;
using model::Item;
using model::KeySchema;
using model::Number;
using model::refuse;
using model::Type;

// More than those of an index and of its table; an entry takes much more memory than its two bytes on the wire.
constexpr size_t kMostKeyAttributes = 16;

Error wrong_key() { return refuse(Fault::kKeySchemaMismatch); }
Error no_key(std::string_view what) { return refuse(Fault::kDaxMalformed, {std::string(what)}); }

// Adds S or B as it is.
Result<void> add_bytes(Item& key, const model::KeyElement& element, std::string_view bytes) {
  if (element.type == Type::kB) {
    key.set(element.name, AttributeValue::binary(std::string(bytes)));
    return {};
  }
  if (!is_unicode(bytes)) return no_key("a key is not UTF-8");
  key.set(element.name, AttributeValue::string(std::string(bytes)));
  return {};
}

// A number's own faults are reported, and bytes that are none belong to another table.
Result<void> add_number(Item& key, const model::KeyElement& element, Result<Number> number) {
  if (number.ok()) {
    key.set(element.name, AttributeValue::number(*number));
    return {};
  }
  return model::fault_of(number.error()) == Fault::kDaxMalformed ? wrong_key() : std::move(number).error();
}

Result<void> add_partition(Item& key, const model::KeyElement& element, CborReader& in) {
  if (element.type == Type::kN) return add_number(key, element, read_number(in));
  const bool text = element.type == Type::kS;
  if (in.peek_major() != (text ? CborMajor::kText : CborMajor::kBytes)) return wrong_key();
  const std::string_view bytes = text ? in.text() : in.bytes();
  if (!in.ok()) return wrong_key();
  return add_bytes(key, element, bytes);
}

using NumberRoom = std::array<char, std::max(kMaxNumberBytes, kMaxLexDecimalBytes)>;

// The bytes of a part. Those of a number are written into `room`.
std::string_view bytes_of(const KeyPart& part, NumberRoom& room, char* (*write)(char*, const Number&)) {
  if (part.type != Type::kN) return part.bytes;
  return {room.data(), write(room.data(), part.number)};
}

const AttributeValue& value_in(const Item& item, const model::KeyElement& element) {
  const AttributeValue* const value = item.find(element.name);
  PARTITA_CHECK(value != nullptr);
  return *value;
}

Result<void> add_all(Item& key, std::string_view bytes, const KeySchema& schema) {
  PARTITA_CHECK(schema.partition.size() == 1 && schema.sort.size() <= 1);
  const model::KeyElement& partition = schema.partition.front();
  key.reserve(1 + schema.sort.size());
  if (schema.sort.empty() && partition.type != Type::kN) return add_bytes(key, partition, bytes);
  CborReader in(bytes);
  PARTITA_TRY_VOID(add_partition(key, partition, in));
  if (schema.sort.empty()) {
    if (!in.finished()) return wrong_key();
    return {};
  }
  const model::KeyElement& sort = schema.sort.front();
  if (sort.type == Type::kN) return add_number(key, sort, read_lex_decimal(in.rest()));
  return add_bytes(key, sort, in.rest());
}

}  // namespace

Result<Item> read_key(std::string_view bytes, const KeySchema& schema) {
  Result<Item> key = Item();
  auto added = add_all(*key, bytes, schema);
  if (!added.ok()) key = std::move(added).error();
  return key;
}

KeyPart key_part(const AttributeValue& value) {
  if (value.is(Type::kN)) return {Type::kN, {}, value.as_number()};
  return {value.type(), value.as_bytes(), {}};
}

void write_key(CborWriter& out, const KeyPart& partition, const KeyPart* sort) {
  NumberRoom room;
  const std::string_view first = bytes_of(partition, room, write_number);
  if (sort == nullptr) return out.bytes(first);
  NumberRoom sort_room;
  const std::string_view second = bytes_of(*sort, sort_room, write_lex_decimal);
  const size_t head = partition.type == Type::kN ? 0 : cbor_head_size(first.size());
  char* next = out.room(2 * kMaxCborHeadBytes + first.size() + second.size());
  next = write_cbor_head(next, CborMajor::kBytes, head + first.size() + second.size());
  if (partition.type != Type::kN) {
    next = write_cbor_head(next, partition.type == Type::kS ? CborMajor::kText : CborMajor::kBytes, first.size());
  }
  std::memcpy(next, first.data(), first.size());
  next += first.size();
  std::memcpy(next, second.data(), second.size());
  out.wrote(next + second.size());
}

void write_key(CborWriter& out, const Item& item, const KeySchema& schema) {
  PARTITA_CHECK(schema.partition.size() == 1 && schema.sort.size() <= 1);
  const KeyPart partition = key_part(value_in(item, schema.partition.front()));
  if (schema.sort.empty()) return write_key(out, partition, nullptr);
  const KeyPart sort = key_part(value_in(item, schema.sort.front()));
  write_key(out, partition, &sort);
}

Result<Item> read_compound_key(std::string_view bytes, DecodedBytes* memory) {
  CborReader in(bytes);
  DecodedBytes unlimited;
  ValueCount values{memory != nullptr ? *memory : unlimited};
  std::vector<AttributeMap::Entry> entries;
  for (auto members = in.map(); in.next(members);) {
    if (entries.size() == kMostKeyAttributes) return refuse(Fault::kStartKeyInvalid);
    const std::string_view name = in.text();
    if (!in.ok() || !is_utf8(name)) return no_key("a compound key is malformed");
    PARTITA_TRY(AttributeValue value, read_value(in, Nesting::kInItem, values));
    entries.push_back({std::string(name), std::move(value)});
  }
  if (!in.finished()) return no_key("a compound key is malformed");
  const size_t count = entries.size();
  Item key = AttributeMap::of(std::move(entries));
  if (key.size() != count) return no_key("a compound key has a name twice");
  return key;
}

void write_compound_key(CborWriter& out, const Item& key) {
  const CborWriter::Bytes bytes = out.begin_bytes();
  out.begin_map();
  for (const auto& [name, value] : key) {
    out.text(name);
    write_value(out, value);
  }
  out.end();
  out.end_bytes(bytes);
}

}  // namespace partita::wire::dax
