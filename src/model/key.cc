#include "model/key.h"

#include <bit>
#include <cstring>

#include "base/bytes.h"

namespace partita::model {

namespace {

// Within a string or a binary 00 is written as 00 FF; its end is 00 01, below every byte that could follow.
constexpr char kEscape = '\x00';
constexpr char kEscapedZero = '\xff';
constexpr char kEnd = '\x01';

// Room for the key of an ordinary row.
constexpr size_t kUsualRowBytes = 64;

void append_escaped(std::string_view bytes, std::string& out) {
  for (;;) {
    const size_t zero = bytes.find('\0');
    out.append(bytes.substr(0, zero));
    if (zero == std::string_view::npos) return;
    out.push_back(kEscape);
    out.push_back(kEscapedZero);
    bytes.remove_prefix(zero + 1);
  }
}

std::optional<std::string> take_escaped(std::string_view& in) {
  std::string bytes;
  std::string_view rest = in;
  for (;;) {
    const size_t zero = rest.find(kEscape);
    if (zero == std::string_view::npos || zero + 1 == rest.size()) return std::nullopt;
    bytes.append(rest.substr(0, zero));
    const char what = rest[zero + 1];
    rest.remove_prefix(zero + 2);
    if (what == kEnd) break;
    if (what != kEscapedZero) return std::nullopt;
    bytes.push_back('\0');
  }
  in = rest;
  return bytes;
}

template <class Word>
char* put_big_endian(char* out, Word word) {
  if constexpr (std::endian::native == std::endian::little) word = std::byteswap(word);
  std::memcpy(out, &word, sizeof word);
  return out + sizeof word;
}

bool names_it(const std::vector<KeyElement>& elements, std::string_view attribute) {
  for (const KeyElement& element : elements) {
    if (element.name == attribute) return true;
  }
  return false;
}

}  // namespace

bool KeySchema::names(std::string_view attribute) const {
  return names_it(partition, attribute) || names_it(sort, attribute);
}

void append_key_value(const AttributeValue& value, std::string& out) {
  if (value.is(Type::kN)) return value.as_number().encode(out);
  append_escaped(value.as_bytes(), out);
  out.push_back(kEscape);
  out.push_back(kEnd);
}

void append_key_prefix(const AttributeValue& value, std::string& out) { append_escaped(value.as_bytes(), out); }

std::optional<AttributeValue> take_key_value(Type type, std::string_view& in) {
  PARTITA_CHECK(type == Type::kS || type == Type::kN || type == Type::kB);
  if (type == Type::kN) {
    const auto number = Number::decode(in);
    if (!number) return std::nullopt;
    return AttributeValue::number(*number);
  }
  auto bytes = take_escaped(in);
  if (!bytes) return std::nullopt;
  return type == Type::kS ? AttributeValue::string(*std::move(bytes)) : AttributeValue::binary(*std::move(bytes));
}

std::optional<RowPlace> take_row_place(std::string_view& in) {
  std::string_view rest = in;
  const auto table_id = take_u32(rest);
  const auto index_id = take_u16(rest);
  const auto hash = take_u64(rest);
  if (!table_id || !index_id || !hash) return std::nullopt;
  in = rest;
  return RowPlace{*table_id, *index_id, *hash};
}

std::optional<std::vector<AttributeValue>> take_key_values(const std::vector<KeyElement>& elements,
                                                           std::string_view& in) {
  std::vector<AttributeValue> values;
  values.reserve(elements.size());
  std::string_view rest = in;
  for (const KeyElement& element : elements) {
    auto value = take_key_value(element.type, rest);
    if (!value) return std::nullopt;
    values.push_back(*std::move(value));
  }
  in = rest;
  return values;
}

std::string collection_prefix(uint32_t table_id, uint16_t index_id, std::span<const AttributeValue* const> partition) {
  std::string prefix;
  prefix.reserve(kUsualRowBytes);
  prefix.resize(kRowPlaceBytes);
  for (const AttributeValue* value : partition) append_key_value(*value, prefix);
  const uint64_t hash = hash64(std::string_view(prefix).substr(kRowPlaceBytes));
  put_big_endian(put_big_endian(put_big_endian(prefix.data(), table_id), index_id), hash);
  return prefix;
}

std::string index_prefix(uint32_t table_id, uint16_t index_id) {
  std::string prefix;
  append_u32(prefix, table_id);
  append_u16(prefix, index_id);
  return prefix;
}

std::string hash_prefix(uint32_t table_id, uint16_t index_id, uint64_t hash) {
  std::string prefix = index_prefix(table_id, index_id);
  append_u64(prefix, hash);
  return prefix;
}

}  // namespace partita::model
