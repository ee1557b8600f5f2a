// Keys: values out of the input as keys, whose bytes must keep their order; then the raw input as the bytes of a row.
#include <array>
#include <string>
#include <vector>

#include "build_value.h"
#include "input.h"
#include "model/key.h"

namespace partita::fuzz {
namespace {

using model::AttributeValue;
using model::KeyElement;
using model::Type;

std::string key_of(const AttributeValue& value) {
  std::string bytes;
  model::append_key_value(value, bytes);
  return bytes;
}

void check_value(const AttributeValue& value) {
  const std::string bytes = key_of(value) + "rest";
  std::string_view rest = bytes;
  const std::optional<AttributeValue> again = model::take_key_value(value.type(), rest);
  PARTITA_CHECK(again == value && rest == "rest");
}

void check_order(const AttributeValue& a, const AttributeValue& b) {
  const std::string key_a = key_of(a);
  const std::string key_b = key_of(b);
  PARTITA_CHECK((key_a <=> key_b) == model::compare_scalars(a, b));
  PARTITA_CHECK(key_a == key_b || !key_a.starts_with(key_b));
  if (a.is(Type::kN)) return;
  std::string prefix;
  model::append_key_prefix(b, prefix);
  PARTITA_CHECK(a.as_bytes().starts_with(b.as_bytes()) == key_a.starts_with(prefix));
}

void check_row(const AttributeValue& partition, const AttributeValue& sort) {
  const std::array<const model::AttributeValue*, 1> partitions{&partition};
  const std::string collection = model::collection_prefix(7, 3, partitions);
  PARTITA_CHECK(collection.starts_with(model::index_prefix(7, 3)));
  const std::string row = collection + key_of(sort);
  std::string_view rest = row;
  const auto place = model::take_row_place(rest);
  PARTITA_CHECK(place && place->table_id == 7 && place->index_id == 3);
  PARTITA_CHECK(row.starts_with(model::hash_prefix(7, 3, place->hash)));
  const std::vector<KeyElement> elements = {{"p", partition.type()}, {"s", sort.type()}};
  const auto values = model::take_key_values(elements, rest);
  PARTITA_CHECK(values && rest.empty() && values->at(0) == partition && values->at(1) == sort);
}

void check_bytes(std::string_view bytes) {
  for (const Type type : {Type::kS, Type::kN, Type::kB}) {
    std::string_view rest = bytes;
    const std::optional<AttributeValue> value = model::take_key_value(type, rest);
    PARTITA_CHECK(value || rest == bytes);
    if (value) PARTITA_CHECK(key_of(*value) == bytes.substr(0, bytes.size() - rest.size()));
  }
  std::string_view rest = bytes;
  if (const auto place = model::take_row_place(rest)) {
    PARTITA_CHECK(bytes.starts_with(model::hash_prefix(place->table_id, place->index_id, place->hash)));
    PARTITA_CHECK(bytes.size() - rest.size() == model::kRowPlaceBytes);
  }
  const std::string_view behind = rest;
  const auto values = model::take_key_values({{"a", Type::kB}, {"b", Type::kN}, {"c", Type::kS}}, rest);
  PARTITA_CHECK(values || rest == behind);
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  fuzz::Input in(data, size);
  fuzz::check_bytes(in.rest());
  const auto type = static_cast<model::Type>(in.choice(3));
  const model::AttributeValue a = fuzz::build_scalar(type, in);
  const model::AttributeValue b = fuzz::build_scalar(type, in);
  const model::AttributeValue other = fuzz::build_scalar(static_cast<model::Type>(in.choice(3)), in);
  fuzz::check_value(a);
  fuzz::check_order(a, b);
  fuzz::check_order(b, a);
  fuzz::check_row(other, a);
  return 0;
}
