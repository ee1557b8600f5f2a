#include "model/size.h"

#include <gtest/gtest.h>

namespace partita::model {
namespace {

using Value = AttributeValue;

TEST(SizeTest, WeighsEveryType) {
  EXPECT_EQ(value_size(Value::string("")), 0u);
  EXPECT_EQ(value_size(Value::string("caf\xc3\xa9")), 5u);
  EXPECT_EQ(value_size(Value::binary(std::string(7, '\0'))), 7u);
  EXPECT_EQ(value_size(Value::number(Number::of(-42))), 3u);
  EXPECT_EQ(value_size(Value::boolean(false)), 1u);
  EXPECT_EQ(value_size(Value::null()), 1u);
  EXPECT_EQ(value_size(Value::string_set({"a", "bcd"})), 4u);
  EXPECT_EQ(value_size(Value::binary_set({"a", "bcd"})), 4u);
  EXPECT_EQ(value_size(Value::number_set({Number::of(1), Number::of(123)})), 5u);
  EXPECT_EQ(value_size(Value::list({})), 3u);
  EXPECT_EQ(value_size(Value::list({Value::null(), Value::string("ab")})), 3u + 2 + 1 + 2);
  AttributeMap map;
  EXPECT_EQ(value_size(Value::map(map)), 3u);
  map.set("name", Value::string("xy"));
  map.set("inner", Value::list({}));
  EXPECT_EQ(value_size(Value::map(map)), 3u + 2 + 4 + 2 + 5 + 3);
}

TEST(SizeTest, WeighsNamesOfAnItem) {
  Item item;
  EXPECT_EQ(item_size(item), 0u);
  item.set("pk", Value::string("abc"));
  item.set("n", Value::number(Number::of(7)));
  EXPECT_EQ(item_size(item), 2u + 3 + 1 + 2);
}

TEST(SizeTest, RoundsUnitsUp) {
  EXPECT_EQ(read_half_units(0, false), 1);
  EXPECT_EQ(read_half_units(0, true), 2);
  EXPECT_EQ(read_half_units(4096, false), 1);
  EXPECT_EQ(read_half_units(4097, false), 2);
  EXPECT_EQ(read_half_units(4097, true), 4);
  EXPECT_EQ(write_half_units(0), 2);
  EXPECT_EQ(write_half_units(1024), 2);
  EXPECT_EQ(write_half_units(1025), 4);
}

}  // namespace
}  // namespace partita::model
