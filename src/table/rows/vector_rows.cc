#include "table/rows/vector_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_walk.h"
#include "model/limits.h"
#include "model/size.h"

namespace partita::table {

namespace {

using model::AttributeValue;
using model::Fault;
using model::Item;
using model::refuse;
using model::Type;

static_assert(std::endian::native == std::endian::little, "rows hold floats with the lowest byte first");

std::string type_of(const AttributeValue& value) { return std::string(model::type_name(value.type())); }

// "1.3E+40"
std::string scientific(const model::Number& number) {
  std::array<char, 64> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number.to_double(), std::chars_format::scientific);
  std::string text(buffer.data(), end.ptr);
  std::ranges::replace(text, 'e', 'E');
  return text;
}

Result<void> check_vector(const IndexInfo& index, const AttributeValue& value) {
  const std::string& attribute = index.vector->attribute;
  if (!value.is(Type::kL)) return refuse(Fault::kVectorType, {attribute, index.name});
  const auto& elements = value.as_list();
  if (elements.size() != index.vector->dimensions) {
    return refuse(Fault::kVectorSize,
                  {attribute, std::to_string(index.vector->dimensions), std::to_string(elements.size()), index.name});
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].is(Type::kN)) {
      return refuse(Fault::kVectorElementType, {attribute, std::to_string(i), type_of(elements[i]), index.name});
    }
    if (!float_of(elements[i])) {
      return refuse(Fault::kVectorElementRange,
                    {attribute, std::to_string(i), scientific(elements[i].as_number()), index.name});
    }
  }
  return {};
}

Result<void> check_search_value(const IndexInfo& index, const SearchElement& element, const AttributeValue& value) {
  const auto& [name, type] = element.attribute;
  if (!value.is(type)) {
    return refuse(Fault::kSearchValueType, {name, std::string(model::type_name(type)), type_of(value), index.name});
  }
  const size_t bytes = model::value_size(value);
  if (!element.hash && bytes > model::kMaxInlineFilterBytes) return refuse(Fault::kSearchFilterTooLong, {name});
  if (!element.hash) return {};
  if (bytes == 0) {
    return refuse(Fault::kIndexKeyEmpty, {name, value.is(Type::kS) ? "string" : "binary", index.name});
  }
  if (bytes > model::kMaxPartitionKeyBytes) return refuse(Fault::kSearchHashTooLong);
  return {};
}

// What is to be looked at: nothing when it is not there, or as it was.
const AttributeValue* news(const std::string& name, const Item& item, const Item* before) {
  const AttributeValue* value = item.find(name);
  if (value == nullptr || before == nullptr) return value;
  const AttributeValue* old = before->find(name);
  return old != nullptr && *old == *value ? nullptr : value;
}

// Of a vector that was checked.
std::string packed_list(const AttributeValue& list) {
  std::vector<float> floats;
  floats.reserve(list.as_list().size());
  for (const auto& element : list.as_list()) floats.push_back(*float_of(element));
  return packed(floats);
}

}  // namespace

void note_vectors(TableInfo& table) {
  std::erase(table.features, kVectorFeature);
  if (has_vectors(table)) table.features.emplace_back(kVectorFeature);
}

bool has_vectors(const TableInfo& table) {
  return std::ranges::any_of(table.indexes, [](const IndexInfo& index) { return index.vector.has_value(); });
}

Result<void> check_vector_values(const IndexInfo& index, const Item& item, const Item* before) {
  if (const auto* vector = news(index.vector->attribute, item, before)) {
    PARTITA_TRY_VOID(check_vector(index, *vector));
  }
  for (const SearchElement& element : index.vector->search) {
    const auto* value = news(element.attribute.name, item, before);
    if (value != nullptr) PARTITA_TRY_VOID(check_search_value(index, element, *value));
  }
  return {};
}

bool is_in_vector_index(const IndexInfo& index, const Item& item) {
  if (!item.contains(index.vector->attribute)) return false;
  const bool keyed =
      std::ranges::all_of(index.keys.partition, [&](const auto& key) { return item.contains(key.name); });
  return keyed && check_vector_values(index, item, nullptr).ok();
}

Item vector_view(const TableInfo& table, const IndexInfo& index, const Item& item) {
  const std::string& attribute = index.vector->attribute;
  const auto& projection = index.projection;
  const auto is_kept = [&](const std::string& name) {
    return projection.kind == api::ProjectionKind::kAll || table.keys.names(name) || index.needs(name) ||
           std::ranges::find(projection.attributes, name) != projection.attributes.end();
  };
  Item view;
  for (const auto& [name, value] : item) {
    if (name == attribute) {
      view.set(name, AttributeValue::binary(packed_list(value)));
    } else if (is_kept(name)) {
      view.set(name, value);
    }
  }
  return view;
}

bool projects_vector(const IndexInfo& index) {
  const auto& projected = index.projection.attributes;
  return index.projection.kind == api::ProjectionKind::kAll ||
         std::ranges::find(projected, index.vector->attribute) != projected.end();
}

size_t charged_bytes(const TableInfo& table, const Item& item, size_t bytes) {
  const auto& indexes = table.indexes;
  for (auto index = indexes.begin(); index != indexes.end(); ++index) {
    if (!index->vector) continue;
    const std::string& attribute = index->vector->attribute;
    const auto reads_it = [&](const IndexInfo& other) { return other.vector && other.vector->attribute == attribute; };
    if (std::any_of(indexes.begin(), index, reads_it)) continue;
    const AttributeValue* vector = item.find(attribute);
    if (vector == nullptr || !check_vector(*index, *vector).ok()) continue;
    bytes = bytes - model::value_size(*vector) + sizeof(float) * index->vector->dimensions;
  }
  return bytes;
}

Result<size_t> charged_bytes(const TableInfo& table, std::string_view stored, size_t bytes) {
  if (table.indexes.empty() || !has_vectors(table)) return bytes;
  PARTITA_TRY(const Item item, model::decode_item(stored));
  return charged_bytes(table, item, bytes);
}

int64_t vector_request_bytes(size_t bytes) { return std::max(static_cast<int64_t>(bytes), model::kMinVectorBytes); }

std::optional<float> float_of(const AttributeValue& value) {
  if (!value.is(Type::kN)) return std::nullopt;
  const float nearest = value.as_number().to_float();
  return std::isfinite(nearest) ? std::optional(nearest) : std::nullopt;
}

std::string packed(std::span<const float> floats) {
  std::string bytes(floats.size_bytes(), '\0');
  std::memcpy(bytes.data(), floats.data(), bytes.size());
  return bytes;
}

std::vector<float> unpacked(std::string_view bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

std::string float_text(float value) {
  if (value == 0) return "0.0";
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value), std::chars_format::scientific);
  const std::string_view text(buffer.data(), end.ptr);
  const size_t mark = text.find('e');
  std::string digits(1, text[0]);
  if (mark > 1) digits += text.substr(2, mark - 2);
  int exponent = 0;
  const char* sign = text.data() + mark + 1;
  std::from_chars(*sign == '+' ? sign + 1 : sign, end.ptr, exponent);
  const auto whole = static_cast<size_t>(std::max(exponent + 1, 0));  // digits before the point
  std::string plain = value < 0 ? "-" : "";
  if (exponent < 0) return plain + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  if (digits.size() <= whole) return plain + digits + std::string(whole - digits.size(), '0') + ".0";
  return plain + digits.substr(0, whole) + '.' + digits.substr(whole);
}

Result<std::string_view> vector_in(const IndexInfo& index, std::string_view row) {
  const std::string& attribute = index.vector->attribute;
  model::ItemReader in = model::ItemReader::open(row);
  in.varint();
  const size_t count = in.count();
  for (size_t i = 0; i < count && in.ok(); ++i) {
    if (in.sized() != attribute) {
      in.skip_value();
      continue;
    }
    const bool binary = in.type() == Type::kB;
    const std::string_view bytes = in.sized();
    if (in.ok() && binary && bytes.size() == sizeof(float) * index.vector->dimensions) return bytes;
    break;
  }
  return Error(ErrorKind::kCorrupt, "a row of a vector index is damaged");
}

std::string vector_topic(uint32_t table_id, uint16_t index_id) {
  std::string topic = "vector";
  append_u32(topic, table_id);
  append_u16(topic, index_id);
  return topic;
}

}  // namespace partita::table
