#include "model/java_number.h"

#include <gtest/gtest.h>

#include "model/fault.h"

namespace partita::model {
namespace {

TEST(JavaNumber, ScalesAndSizesAreThoseOf32Bits) {
  EXPECT_TRUE(has_scale("1e2147483647"));
  EXPECT_FALSE(has_scale("1e2147483648"));
  EXPECT_TRUE(has_scale("1e-2147483647"));
  EXPECT_FALSE(has_scale("1e-2147483648"));
  EXPECT_FALSE(has_scale("1.5e-2147483647"));
  EXPECT_EQ(fault_of(read_as_java("1e2147483647").error()), Fault::kNumberUnderflow);
  EXPECT_EQ(fault_of(read_as_java("1e2000000000").error()), Fault::kNumberOverflow);
  EXPECT_EQ(fault_of(read_as_java("abce2000000000").error()), Fault::kNumberSyntax);
  EXPECT_EQ(*read_as_java("12e-1"), *Number::parse("1.2"));
}

}  // namespace
}  // namespace partita::model
