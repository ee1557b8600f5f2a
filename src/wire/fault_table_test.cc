#include "wire/fault_table.h"

#include <gtest/gtest.h>

#include <set>

namespace partita::wire {
namespace {

using model::Fault;

TEST(FaultTable, EveryFaultHasItsOwnRow) {
  for (uint16_t i = 0; i < static_cast<uint16_t>(Fault::kCount); ++i) {
    const auto fault = static_cast<Fault>(i);
    EXPECT_EQ(row_of(fault).fault, fault);
    EXPECT_LT(row_of(fault).exception, Exception::kCount);
  }
}

TEST(FaultTable, ExceptionNamesAreDistinctAndHaveAStatus) {
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (uint8_t i = 0; i < static_cast<uint8_t>(Exception::kCount); ++i) {
    const ExceptionName& name = name_of(static_cast<Exception>(i));
    EXPECT_TRUE(names.emplace(name.space, name.name).second) << name.name;
    EXPECT_TRUE(name.space.starts_with("com.amazon"));
    if (name.space.starts_with("com.amazonaws.iam") || name.space.starts_with("com.amazonaws.cloudwatch")) continue;
    EXPECT_TRUE(name.status == 400 || name.status == 500 || name.status == 503);
  }
}

TEST(FaultTable, FillsBlanksInAnyOrder) {
  EXPECT_EQ(fill("{1} of {0}", {"b", "a"}), "a of b");
  EXPECT_EQ(fill("plain", {"unused"}), "plain");
  EXPECT_EQ(fill("[{0}]", {}), "[]");
  EXPECT_EQ(fill("{x} {0} {", {"{1}"}), "{x} {1} {");
}

}  // namespace
}  // namespace partita::wire
