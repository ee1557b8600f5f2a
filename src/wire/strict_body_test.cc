#include "wire/strict_body.h"

#include <gtest/gtest.h>

#include "wire/error_body.h"

namespace partita::wire {
namespace {

constexpr StrictMember kMembers[] = {{"Name", StrictKind::kString},
                                     {"List", StrictKind::kList},
                                     {"Count", StrictKind::kInteger},
                                     {"Words", StrictKind::kMap, false}};

std::string said(std::string_view body) {
  const auto checked = check_strict(body, kMembers);
  return checked.ok() ? "" : message_of(checked.error());
}

TEST(StrictBody, TakesWhatFits) {
  EXPECT_EQ(said(R"({"Name":"a","List":[],"Count":1})"), "");
  EXPECT_EQ(
      said(
          "{ \"Count\" : 1 , \"Other\" : { \"Name\" : null, \"x\": \"}\\\"]\" } ,\n\"List\":[[1],\"]\"], \"Name\":\"\\\"\"}"),
      "");
  EXPECT_EQ(said("[]"), "");
}

TEST(StrictBody, TellsTheFirstThatIsOfAnotherKind) {
  EXPECT_EQ(said(R"({"Name":null,"List":null})"), "invalid type: null, expected a string at line 1 column 12");
  EXPECT_EQ(said("{\"Name\":\"a\",\n\"List\": null}"), "invalid type: null, expected a sequence at line 2 column 12");
  EXPECT_EQ(said(R"({"Count":3.5})"), "invalid type: floating point `3.5`, expected i32 at line 1 column 12");
  EXPECT_EQ(said(R"({"Count":"3"})"), "invalid type: string \"3\", expected i32 at line 1 column 12");
  EXPECT_EQ(said(R"({"Name":true})"), "invalid type: boolean `true`, expected a string at line 1 column 12");
  EXPECT_EQ(said(R"({"Name":7})"), "invalid type: integer `7`, expected a string at line 1 column 9");
}

TEST(StrictBody, SomeMayBeNullOrMissing) {
  EXPECT_EQ(said(R"({"Name":"a","List":[],"Count":1,"Words":null})"), "");
  EXPECT_EQ(said(R"({"Name":"a","List":[],"Count":1,"Words":{"a":{}}})"), "");
  EXPECT_EQ(said(R"({"Words":1})"), "invalid type: integer `1`, expected a map at line 1 column 10");
}

TEST(StrictBody, TellsTheFirstThatIsMissing) {
  EXPECT_EQ(said("{}"), "missing field `Name` at line 1 column 2");
  EXPECT_EQ(said(R"({"Count":1,"Name":"a"})"), "missing field `List` at line 1 column 22");
}

}  // namespace
}  // namespace partita::wire
