#include "admin/heat_json.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace partita::admin {
namespace {

using throttle::HeatRange;
using throttle::HeatReport;

const model::KeySchema kKeys{{{"pk", model::Type::kS}}, {{"sk", model::Type::kN}}};

std::string position(std::string partition_key, int64_t sort_key) {
  const model::AttributeValue partition = model::AttributeValue::string(std::move(partition_key));
  std::string bytes = model::collection_prefix(1, 0, std::vector{&partition}).substr(6);
  model::append_key_value(model::AttributeValue::number(model::Number::of(sort_key)), bytes);
  return bytes;
}

TEST(HeatJsonTest, NamesRangesKeysAndReasons) {
  HeatReport report;
  HeatRange range;
  range.high = std::string("\x80\0\0\0\0\0\0\0", 8);
  range.rates = {.read_units = 0, .write_units = 1'000, .refusals = 4'000};
  range.load = 1;
  range.refused = 12;
  range.hottest = position("a", 7);
  range.hottest_share = 0.75;
  range.obstacle = throttle::Obstacle::kSingleItem;
  report.ranges.push_back(range);
  range = {};
  range.low = std::string("\x80\0\0\0\0\0\0\0", 8) + position("b", 3).substr(8);
  report.ranges.push_back(range);
  wire::JsonWriter json;
  json.begin_object();
  write_heat(json, report, kKeys);
  json.end_object();
  EXPECT_EQ(std::move(json).take(),
            R"({"Partitions":[{"From":0.0,"To":0.5,"ReadUnitsPerSecond":0.0,"WriteUnitsPerSecond":1000.0,"Load":1.0,)"
            R"("ThrottledPerSecond":4000.0,"Throttled":12,"HottestKey":{"Key":{"pk":{"S":"a"},"sk":{"N":"7"}},)"
            R"("Share":0.75},"NotSplit":{"Reason":"SingleItem","Text":"it holds one hot item alone"}},)"
            R"({"From":0.5,"To":1.0,"FirstKey":{"pk":{"S":"b"},"sk":{"N":"3"}},"ReadUnitsPerSecond":0.0,)"
            R"("WriteUnitsPerSecond":0.0,"Load":0.0,"ThrottledPerSecond":0.0,"Throttled":0}]})");
}

TEST(HeatJsonTest, OfAPartOfAKeyItTellsWhatIsComplete) {
  const std::string whole = position("abc", 12);
  EXPECT_EQ(key_of(kKeys, whole).size(), 2u);
  EXPECT_EQ(key_of(kKeys, whole.substr(0, 13)).size(), 1u);
  EXPECT_EQ(key_of(kKeys, whole.substr(0, 12)).size(), 0u);
  EXPECT_EQ(key_of(kKeys, whole.substr(0, 8)).size(), 0u);
  EXPECT_EQ(key_of(kKeys, "").size(), 0u);
}

}  // namespace
}  // namespace partita::admin
