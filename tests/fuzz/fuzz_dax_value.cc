// DAX's values, numbers and keys: the raw input as each of them, where all readers must agree and what is read must be
// written as what reads back the same; then a value out of the input, which must survive being written.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "build_value.h"
#include "input.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "model/item_walk.h"
#include "wire/dax/key.h"
#include "wire/dax/lex_decimal.h"
#include "wire/dax/value.h"

namespace partita::fuzz {
namespace {

using model::AttributeValue;
using model::Item;
using model::KeySchema;
using model::Number;
using model::Type;
using wire::CborReader;
using wire::CborWriter;

std::string cbor_of(const AttributeValue& value) {
  CborWriter out(0);
  wire::dax::write_value(out, value);
  return std::move(out).take();
}

Item with(const AttributeValue& value) {
  Item item;
  item.set("a", value);
  return item;
}

void check_written(const AttributeValue& value) {
  const std::string bytes = cbor_of(value);
  CborReader in(bytes);
  const auto again = wire::dax::read_value(in, wire::Nesting::kAlone);
  PARTITA_CHECK(again.ok() && in.finished() && *again == value);
  CborReader skipped(bytes);
  PARTITA_CHECK(skipped.skip() == bytes && skipped.finished());

  CborWriter out(0);
  wire::dax::StoredValues stored(out);
  PARTITA_CHECK(model::visit_item(model::encode_item(with(value)), stored).ok());
  PARTITA_CHECK(out.view() == "\xa1\x61\x61" + bytes);
}

void check_value(std::string_view bytes) {
  CborReader in(bytes);
  const auto value = wire::dax::read_value(in);
  CborReader copied(bytes);
  model::ItemWriter out(0);
  out.members(1);
  out.name("a");
  const auto copy = wire::dax::copy_value(copied, out);
  PARTITA_CHECK(value.ok() == copy.ok() && value.ok() == in.ok() && in.ok() == copied.ok());
  if (!value.ok()) {
    PARTITA_CHECK(value.error().reason() == copy.error().reason());
    return;
  }
  PARTITA_CHECK(in.rest() == copied.rest());
  PARTITA_CHECK(std::move(out).take() == model::encode_item(with(*value)));
  CborReader skipped(bytes);
  skipped.skip();
  PARTITA_CHECK(skipped.ok() && skipped.rest() == in.rest());
  check_written(*value);
}

void check_number(const Number& number) {
  std::array<char, wire::dax::kMaxNumberBytes> room;
  const std::string_view bytes(room.data(), wire::dax::write_number(room.data(), number));
  CborReader in(bytes);
  PARTITA_CHECK(wire::dax::read_number(in).value() == number && in.finished());
  std::array<char, wire::dax::kMaxLexDecimalBytes> lex_room;
  const std::string_view lex(lex_room.data(), wire::dax::write_lex_decimal(lex_room.data(), number));
  PARTITA_CHECK(wire::dax::read_lex_decimal(lex).value() == number);
}

void check_order(const Number& a, const Number& b) {
  std::array<char, wire::dax::kMaxLexDecimalBytes> rooms[2];
  const std::string_view first(rooms[0].data(), wire::dax::write_lex_decimal(rooms[0].data(), a));
  const std::string_view second(rooms[1].data(), wire::dax::write_lex_decimal(rooms[1].data(), b));
  PARTITA_CHECK((first <=> second) == (a <=> b));
}

void check_numbers(std::string_view bytes) {
  CborReader in(bytes);
  const auto first = wire::dax::read_number(in);
  const auto lex = wire::dax::read_lex_decimal(bytes);
  if (first.ok()) check_number(*first);
  if (lex.ok()) check_number(*lex);
  if (!first.ok()) return;
  const auto second = wire::dax::read_number(in);
  if (!second.ok()) return;
  check_number(*second);
  check_order(*first, *second);
}

void check_key(const Item& key, const KeySchema& schema) {
  CborWriter out(0);
  wire::dax::write_key(out, key, schema);
  CborReader in(out.view());
  const std::string_view content = in.bytes();
  PARTITA_CHECK(in.finished());
  const auto again = wire::dax::read_key(content, schema);
  PARTITA_CHECK(again.ok() && *again == key);
}

void check_keys(std::string_view bytes) {
  for (const Type partition : {Type::kS, Type::kN, Type::kB}) {
    const KeySchema single{{{"p", partition}}, {}};
    if (const auto key = wire::dax::read_key(bytes, single); key.ok()) check_key(*key, single);
    for (const Type sort : {Type::kS, Type::kN, Type::kB}) {
      const KeySchema schema{{{"p", partition}}, {{"s", sort}}};
      if (const auto key = wire::dax::read_key(bytes, schema); key.ok()) check_key(*key, schema);
    }
  }
  const auto compound = wire::dax::read_compound_key(bytes);
  if (!compound.ok()) return;
  CborWriter out(0);
  wire::dax::write_compound_key(out, *compound);
  CborReader in(out.view());
  const auto again = wire::dax::read_compound_key(in.bytes());
  PARTITA_CHECK(in.finished() && again.ok() && *again == *compound);
}

// Whether DAX has it: no set is empty, and no name.
bool is_valid(const AttributeValue& value) {
  CborReader in("");
  const std::string bytes = cbor_of(value);
  in = CborReader(bytes);
  const auto read = wire::dax::read_value(in, wire::Nesting::kAlone);
  if (read.ok()) return true;
  const auto fault = model::fault_of(read.error());
  using model::Fault;
  PARTITA_CHECK(fault == Fault::kEmptyStringSet || fault == Fault::kEmptyNumberSet || fault == Fault::kEmptyBinarySet ||
                fault == Fault::kEmptyAttributeName || fault == Fault::kDaxMalformed);
  return false;
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  fuzz::Input in(data, size);
  fuzz::check_value(in.rest());
  fuzz::check_numbers(in.rest());
  fuzz::check_keys(in.rest());
  const model::AttributeValue value = fuzz::build_value(in, 4);
  if (fuzz::is_valid(value)) fuzz::check_written(value);
  return 0;
}
