#include "wire/dax/key.h"

#include <gtest/gtest.h>

#include <string>

#include "model/fault.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {
namespace {

using model::AttributeValue;
using model::Fault;
using model::Item;
using model::KeySchema;
using model::Number;
using model::Type;

KeySchema schema_with(Type partition) { return {{{"p", partition}}, {}}; }
KeySchema schema_with(Type partition, Type sort) { return {{{"p", partition}}, {{"s", sort}}}; }

AttributeValue decimal(std::string_view text) { return AttributeValue::number(Number::parse(text).value()); }

Item key_with(AttributeValue partition) {
  Item key;
  key.set("p", std::move(partition));
  return key;
}
Item key_with(AttributeValue partition, AttributeValue sort) {
  Item key = key_with(std::move(partition));
  key.set("s", std::move(sort));
  return key;
}

std::string key_hex(Item key, const KeySchema& schema) {
  key.set("other", AttributeValue::null());
  CborWriter out;
  write_key(out, key, schema);
  CborReader in(out.view());
  const std::string hex = to_hex(in.bytes());
  EXPECT_TRUE(in.finished());
  return hex;
}

TEST(DaxKeyTest, ReadsAndWritesEachShape) {
  struct Case {
    KeySchema schema;
    Item key;
    std::string_view hex;
  };
  const Case cases[] = {
      {schema_with(Type::kS), key_with(AttributeValue::string("go")), "676f"},
      {schema_with(Type::kB), key_with(AttributeValue::binary("\xff")), "ff"},
      {schema_with(Type::kN), key_with(decimal("-10")), "29"},
      {schema_with(Type::kN), key_with(decimal("1.5")), "c482200f"},
      {schema_with(Type::kS, Type::kN), key_with(AttributeValue::string("p"), decimal("3")), "6170c14e0000"},
      {schema_with(Type::kS, Type::kS), key_with(AttributeValue::string("p"), AttributeValue::string("go")),
       "6170676f"},
      {schema_with(Type::kB, Type::kB), key_with(AttributeValue::binary("\xab"), AttributeValue::binary("\xff")),
       "41abff"},
      {schema_with(Type::kN, Type::kS), key_with(decimal("1000"), AttributeValue::string("x")), "1903e878"},
      {schema_with(Type::kN, Type::kN), key_with(decimal("-1.5"), decimal("0")), "c482202e80"},
  };
  for (const auto& [schema, key, hex] : cases) {
    EXPECT_EQ(key_hex(key, schema), hex);
    const auto read = read_key(from_hex(hex), schema);
    ASSERT_TRUE(read.ok()) << hex;
    EXPECT_EQ(*read, key) << hex;
  }
}

TEST(DaxKeyTest, ReadsOtherFormsOfNumbers) {
  EXPECT_EQ(*read_key(from_hex("6170c14e0010"), schema_with(Type::kS, Type::kN)),
            key_with(AttributeValue::string("p"), decimal("3")));
  EXPECT_EQ(*read_key(from_hex("fb3ff8000000000000"), schema_with(Type::kN)), key_with(decimal("1.5")));
  EXPECT_EQ(*read_key(from_hex(""), schema_with(Type::kS)), key_with(AttributeValue::string("")));
}

TEST(DaxKeyTest, LongKeysKeepTheirSizes) {
  const KeySchema schema = schema_with(Type::kS, Type::kB);
  const Item key =
      key_with(AttributeValue::string(std::string(2048, 'p')), AttributeValue::binary(std::string(1024, '\xff')));
  EXPECT_EQ(*read_key(from_hex(key_hex(key, schema)), schema), key);
}

Fault key_fault(std::string_view hex, const KeySchema& schema) {
  const auto key = read_key(from_hex(hex), schema);
  EXPECT_FALSE(key.ok()) << hex;
  return key.ok() ? Fault::kCount : model::fault_of(key.error());
}

TEST(DaxKeyTest, RefusesKeysOfAnotherTable) {
  for (const std::string_view hex : {"", "41ab61", "0161", "62", "7f6161ff", "f6", "8061"}) {
    EXPECT_EQ(key_fault(hex, schema_with(Type::kS, Type::kS)), Fault::kKeySchemaMismatch) << hex;
  }
  for (const std::string_view hex : {"", "6161", "0101", "f6", "c4", "c48200", "f4"}) {
    EXPECT_EQ(key_fault(hex, schema_with(Type::kN)), Fault::kKeySchemaMismatch) << hex;
  }
  EXPECT_EQ(key_fault("6170", schema_with(Type::kB, Type::kS)), Fault::kKeySchemaMismatch);
  EXPECT_EQ(key_fault("6170", schema_with(Type::kS, Type::kN)), Fault::kKeySchemaMismatch);
  EXPECT_EQ(key_fault("6170616263", schema_with(Type::kS, Type::kN)), Fault::kKeySchemaMismatch);
}

TEST(DaxKeyTest, ReportsFaultsOfValues) {
  EXPECT_EQ(key_fault("c482187e01", schema_with(Type::kN)), Fault::kNumberOverflow);
  EXPECT_EQ(key_fault("6170fe8000007f1c0000", schema_with(Type::kS, Type::kN)), Fault::kNumberOverflow);
  EXPECT_EQ(key_fault("ff", schema_with(Type::kS)), Fault::kDaxMalformed);
  EXPECT_EQ(key_fault("61ff", schema_with(Type::kS, Type::kS)), Fault::kDaxMalformed);
  EXPECT_EQ(key_fault("6170ff", schema_with(Type::kS, Type::kS)), Fault::kDaxMalformed);
}

TEST(DaxKeyTest, CompoundKeysAreIndefiniteMaps) {
  const Item key = key_with(AttributeValue::string("a"), decimal("-1"));
  CborWriter out;
  write_compound_key(out, key);
  CborReader in(out.view());
  const std::string content(in.bytes());
  EXPECT_TRUE(in.finished());
  EXPECT_EQ(to_hex(content), "bf61706161617320ff");
  EXPECT_EQ(*read_compound_key(content), key);
  EXPECT_EQ(*read_compound_key(from_hex("a2617320"
                                        "61706161")),
            key)
      << "any order, definite length";
  for (const std::string_view hex :
       {"", "bf", "bf6170", "bf617001", "01", "bfff00", "bf0101ff", "bf617001617002ff", "bf61ff01ff", "a1"}) {
    const auto read = read_compound_key(from_hex(hex));
    ASSERT_FALSE(read.ok()) << hex;
    EXPECT_EQ(model::fault_of(read.error()), Fault::kDaxMalformed) << hex;
  }
  EXPECT_EQ(model::fault_of(read_compound_key(from_hex("bf6170c482187e01ff")).error()), Fault::kNumberOverflow);
  CborWriter many;
  many.map(17);
  for (int i = 0; i < 17; ++i) many.text("k" + std::to_string(i)), many.null();
  const auto refused = read_compound_key(many.view());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kStartKeyInvalid);
}

}  // namespace
}  // namespace partita::wire::dax
