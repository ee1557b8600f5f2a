#include "table/rows/item_fields.h"

#include <gtest/gtest.h>

namespace partita::table {
namespace {

using model::AttributeValue;

enum class Colour : uint8_t { kRed, kGreen, kBlue };

AttributeValue whole_value(int64_t value) { return AttributeValue::number(model::Number::of(value)); }

// Whether a map with this member is sound, once it was taken into `out`.
template <class Out, class... More>
bool takes(AttributeValue value, Out& out, More... more) {
  model::AttributeMap map;
  map.set("member", std::move(value));
  ItemFields fields(map);
  fields.take("member", out, more...);
  return fields.sound();
}

TEST(ItemFields, AMissingMemberLeavesItsArgument) {
  const model::AttributeMap map;
  ItemFields fields(map);
  std::string text = "text";
  bool flag = true;
  int64_t whole = 7;
  Colour colour = Colour::kGreen;
  fields.take("text", text);
  fields.take("flag", flag);
  fields.take("whole", whole);
  fields.take("colour", colour, Colour::kBlue);
  EXPECT_EQ(text, "text");
  EXPECT_TRUE(flag);
  EXPECT_EQ(whole, 7);
  EXPECT_EQ(colour, Colour::kGreen);
  EXPECT_TRUE(fields.sound());
}

TEST(ItemFields, AMemberOfAnotherTypeIsAFault) {
  std::string text;
  std::optional<bool> flag;
  int64_t whole = 0;
  std::vector<std::string> texts;
  EXPECT_FALSE(takes(whole_value(1), text));
  EXPECT_FALSE(takes(whole_value(1), flag));
  EXPECT_FALSE(takes(AttributeValue::string("1"), whole));
  EXPECT_FALSE(takes(AttributeValue::list({AttributeValue::string("1"), whole_value(2)}), texts));
  EXPECT_FALSE(flag);
}

TEST(ItemFields, ANumberThatDoesNotFitIsAFault) {
  uint16_t small = 5;
  EXPECT_TRUE(takes(whole_value(UINT16_MAX), small));
  EXPECT_EQ(small, UINT16_MAX);
  EXPECT_FALSE(takes(whole_value(UINT16_MAX + 1), small));
  EXPECT_FALSE(takes(whole_value(-1), small));
  int64_t whole = 0;
  EXPECT_FALSE(takes(AttributeValue::number(*model::Number::parse("1.5")), whole));
  uint64_t bits = 0;
  EXPECT_TRUE(takes(whole_value(-1), bits));
  EXPECT_EQ(bits, UINT64_MAX);
  Colour colour = Colour::kRed;
  EXPECT_TRUE(takes(whole_value(2), colour, Colour::kBlue));
  EXPECT_EQ(colour, Colour::kBlue);
  EXPECT_FALSE(takes(whole_value(3), colour, Colour::kBlue));
  EXPECT_FALSE(takes(whole_value(-1), colour, Colour::kBlue));
}

}  // namespace
}  // namespace partita::table
