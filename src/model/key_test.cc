#include "model/key.h"

#include <gtest/gtest.h>

#include <array>

#include "base/bytes.h"
#include "base/random.h"

namespace partita::model {
namespace {

using Value = AttributeValue;

std::string encoded(const Value& value) {
  std::string bytes;
  append_key_value(value, bytes);
  return bytes;
}

// Few distinct bytes, those that encodings stumble over, so that values share prefixes.
std::string random_bytes(Random& random) {
  constexpr char kBytes[] = {'\x00', '\x01', '\x02', 'a', '\xfe', '\xff'};
  std::string bytes;
  for (uint64_t left = random.below(6); left > 0; --left) bytes.push_back(kBytes[random.below(sizeof kBytes)]);
  return bytes;
}

Number random_key_number(Random& random) {
  std::string text = random.below(2) != 0 ? "-" : "";
  for (uint64_t left = 1 + random.below(4); left > 0; --left) text += static_cast<char>('0' + random.below(10));
  text += "e" + std::to_string(static_cast<int>(random.below(8)) - 4);
  return *Number::parse(text);
}

Value random_key(Type type, Random& random) {
  if (type == Type::kN) return Value::number(random_key_number(random));
  return type == Type::kS ? Value::string(random_bytes(random)) : Value::binary(random_bytes(random));
}

TEST(KeyTest, ByteOrderIsValueOrder) {
  SeededRandom random(2);
  for (const Type type : {Type::kS, Type::kB, Type::kN}) {
    for (int i = 0; i < 100'000; ++i) {
      const Value a = random_key(type, random);
      const Value b = random_key(type, random);
      const std::string a_bytes = encoded(a);
      const std::string b_bytes = encoded(b);
      ASSERT_EQ(a_bytes <=> b_bytes, compare_scalars(a, b)) << i;
      // What follows a value never changes the order of the values.
      if (a != b) {
        ASSERT_EQ(a_bytes + random_bytes(random) <=> b_bytes + random_bytes(random), compare_scalars(a, b)) << i;
      }
    }
  }
}

TEST(KeyTest, ValuesAreTakenBackExactly) {
  SeededRandom random(3);
  for (int i = 0; i < 30'000; ++i) {
    const std::vector<KeyElement> elements = {{"a", Type::kS}, {"b", Type::kN}, {"c", Type::kB}};
    std::vector<Value> values;
    std::string bytes;
    for (const KeyElement& element : elements) {
      values.push_back(random_key(element.type, random));
      append_key_value(values.back(), bytes);
    }
    const std::string tail = random_bytes(random);
    const std::string row = bytes + tail;
    std::string_view in = row;
    const auto taken = take_key_values(elements, in);
    ASSERT_TRUE(taken.has_value());
    ASSERT_EQ(*taken, values);
    ASSERT_EQ(in, tail);
    for (size_t cut = 0; cut < bytes.size(); ++cut) {
      const std::string_view part = std::string_view(bytes).substr(0, cut);
      in = part;
      ASSERT_FALSE(take_key_values(elements, in).has_value());
      ASSERT_EQ(in, part);
    }
  }
}

TEST(KeyTest, PrefixesAreShared) {
  SeededRandom random(4);
  for (int i = 0; i < 200'000; ++i) {
    const Value value = Value::binary(random_bytes(random));
    const Value start = Value::binary(random_bytes(random).substr(0, random.below(4)));
    std::string prefix;
    append_key_prefix(start, prefix);
    ASSERT_EQ(encoded(value).starts_with(prefix), value.as_binary().starts_with(start.as_binary())) << i;
  }
}

TEST(KeyTest, RefusesWhatIsNoValue) {
  for (const std::string& bytes :
       {std::string(), std::string("abc"), std::string("a\0", 2), std::string("a\0\x02", 3)}) {
    std::string_view in = bytes;
    EXPECT_FALSE(take_key_value(Type::kS, in).has_value());
    EXPECT_EQ(in, bytes);
  }
}

TEST(KeyTest, RowsStartWithTheirPlace) {
  const Value name = Value::string("Acme");
  const Value year = Value::number(Number::of(2018));
  const std::string prefix = collection_prefix(7, 3, std::array{&name, &year});
  std::string_view in = prefix;
  const auto place = take_row_place(in);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(*place, (RowPlace{7, 3, hash64(encoded(name) + encoded(year))}));
  EXPECT_EQ(in, encoded(name) + encoded(year));
  EXPECT_TRUE(prefix.starts_with(index_prefix(7, 3)));
  EXPECT_TRUE(prefix.starts_with(hash_prefix(7, 3, place->hash)));
  EXPECT_EQ(hash_prefix(7, 3, place->hash).size(), kRowPlaceBytes);
  in = std::string_view(prefix).substr(0, kRowPlaceBytes - 1);
  EXPECT_FALSE(take_row_place(in).has_value());
  EXPECT_EQ(in.size(), kRowPlaceBytes - 1);
}

TEST(KeyTest, BytesOnDiskStayAsTheyAre) {
  const Value key = Value::string(std::string("a\0b", 3));
  EXPECT_EQ(encoded(key), std::string("a\0\xff"
                                      "b\0\x01",
                                      6));
  EXPECT_EQ(collection_prefix(1, 2, std::array{&key}).substr(0, 6), std::string("\0\0\0\x01\0\x02", 6));
}

TEST(KeyTest, SchemaNamesItsAttributes) {
  const KeySchema schema{{{"artist", Type::kS}}, {{"title", Type::kS}}};
  EXPECT_TRUE(schema.names("artist"));
  EXPECT_TRUE(schema.names("title"));
  EXPECT_FALSE(schema.names("year"));
}

}  // namespace
}  // namespace partita::model
