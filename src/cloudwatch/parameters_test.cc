#include "cloudwatch/parameters.h"

#include <gtest/gtest.h>

#include "wire/error_body.h"

namespace partita::cloudwatch {
namespace {

using wire::Document;

template <class Value>
std::string told(const Result<Value>& result) {
  return result.ok() ? "ok" : wire::message_of(result.error());
}

TEST(ParametersTest, TimesOfEachProtocol) {
  const auto time = [](Document value) {
    const Document document = Document::Map{{"At", std::move(value)}};
    const auto read = Parameters(document, "Call").time("At");
    return read.ok() ? read->value_or(-1) : -2;
  };
  constexpr int64_t kAt = 1'764'169'445'000;
  EXPECT_EQ(time(Document::Time{kAt}), kAt);
  EXPECT_EQ(time(int64_t{1'764'169'445}), kAt);
  EXPECT_EQ(time(1'764'169'445.25), kAt + 250);
  EXPECT_EQ(time("2025-11-26T15:04:05Z"), kAt);
  EXPECT_EQ(time("2025-11-26T15:04:05"), kAt);
  EXPECT_EQ(time("2025-11-26T15:04:05.500Z"), kAt + 500);
  EXPECT_EQ(time("2025-11-26T16:04:05+01:00"), kAt);
  EXPECT_EQ(time("2025-11-26T14:34:05-0030"), kAt);
  EXPECT_EQ(time("1764169445"), kAt);
  EXPECT_EQ(time(Document()), -1);
  for (const char* bad :
       {"", "yesterday", "2025-13-26T15:04:05Z", "2025-11-26T25:04:05Z", "2025-11-26T15:04:05X", "inf"}) {
    EXPECT_EQ(time(bad), -2) << bad;
  }
}

TEST(ParametersTest, NumbersAndFlagsOfAForm) {
  const Document document =
      Document::Map{{"Whole", "60"}, {"Half", "0.5"}, {"Yes", "true"}, {"None", ""}, {"Word", "x"}};
  const Parameters in(document, "Call");
  EXPECT_EQ(*in.whole("Whole", 1, 100), 60);
  EXPECT_EQ(*in.number("Half"), 0.5);
  EXPECT_EQ(*in.flag("Yes"), true);
  EXPECT_TRUE(in.texts("None", 5)->empty());
  EXPECT_EQ(told(in.whole("Half", 1, 100)), "The parameter Half must be a whole number.");
  EXPECT_EQ(told(in.whole("Whole", 61, 100)), "The parameter Whole must be at least 61.");
  EXPECT_EQ(told(in.whole("Whole", 1, 59)), "The parameter Whole must be at most 59.");
  EXPECT_EQ(told(in.needed_whole("Other", 1, 2)), "The parameter Other is required.");
  EXPECT_EQ(told(in.number("Word")), "The parameter Word must be a number.");
  EXPECT_EQ(told(in.flag("Word")), "The parameter Word must be true or false.");
  EXPECT_EQ(told(in.texts("Word", 5)), "The parameter Word must be a list.");
  EXPECT_EQ(told(in.structure("Word")), "The parameter Word must be a structure.");
  EXPECT_EQ(told(in.text("Word", 2, 3)), "The parameter Word must have 2 to 3 characters.");
}

TEST(ParametersTest, UnservedOnesAreNamed) {
  const Document document = Document::Map{{"Tags", Document::List{}}, {"Metrics", Document::List{"x"}}};
  const Parameters in(document, "PutMetricAlarm");
  EXPECT_EQ(told(in.refuse({"Tags", "Unit"})), "ok");
  EXPECT_EQ(told(in.refuse({"Tags", "Metrics"})), "The parameter Metrics of PutMetricAlarm is not served by Partita.");
}

}  // namespace
}  // namespace partita::cloudwatch
