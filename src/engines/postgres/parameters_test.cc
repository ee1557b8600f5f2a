#include "engines/postgres/parameters.h"

#include <gtest/gtest.h>

namespace partita::postgres {
namespace {

using Element = ArrayParameter::Element;

std::string of(std::initializer_list<int> bytes) { return {bytes.begin(), bytes.end()}; }

TEST(ArrayParameter, IsPostgresBinaryArray) {
  ArrayParameter array(Element::kBytes);
  array.add_bytes("ab");
  array.add_null();
  array.add_bytes("");
  EXPECT_EQ(std::move(array).bytes(), of({0, 0, 0, 1, 0, 0, 0, 1,   0,   0,   0,   17,  0,   0, 0, 3, 0,
                                          0, 0, 1, 0, 0, 0, 2, 'a', 'b', 255, 255, 255, 255, 0, 0, 0, 0}));
  ArrayParameter numbers(Element::kInt32);
  numbers.add_int32(-2);
  EXPECT_EQ(std::move(numbers).bytes(),
            of({0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 255, 255, 255, 254}));
}

TEST(ArrayParameter, WithoutElementsHasNoDimension) {
  EXPECT_EQ(ArrayParameter(Element::kInt64).bytes(), of({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20}));
}

TEST(SplitKey, CutsOnlyWhatAnIndexCanNotTake) {
  const std::string longest(kMaxHeadBytes, 'k');
  EXPECT_EQ(split(longest).head, longest);
  EXPECT_EQ(split(longest).tail, "");
  EXPECT_EQ(split(longest + "x").head, longest);
  EXPECT_EQ(split(longest + "x").tail, "x");
  EXPECT_GT(beyond_all_heads(), std::string(kMaxHeadBytes, '\xff'));
}

}  // namespace
}  // namespace partita::postgres
