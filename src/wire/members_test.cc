#include "wire/members.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "model/fault.h"
#include "wire/shape_check.h"
#include "wire/shape_testing.h"

namespace partita::wire {
namespace {

const std::vector<const Shape*> kShapes = {
    &shapes::kBatchGetItem,
    &shapes::kBatchWriteItem,
    &shapes::kCreateTable,
    &shapes::kDeleteItem,
    &shapes::kDeleteResourcePolicy,
    &shapes::kDeleteTable,
    &shapes::kDescribeContinuousBackups,
    &shapes::kDescribeContributorInsights,
    &shapes::kDescribeEndpoints,
    &shapes::kDescribeKinesisStreamingDestination,
    &shapes::kDescribeLimits,
    &shapes::kDescribeTable,
    &shapes::kDescribeTimeToLive,
    &shapes::kDisableKinesisStreamingDestination,
    &shapes::kEnableKinesisStreamingDestination,
    &shapes::kGetItem,
    &shapes::kGetResourcePolicy,
    &shapes::kListContributorInsights,
    &shapes::kListTables,
    &shapes::kListTagsOfResource,
    &shapes::kPutItem,
    &shapes::kPutResourcePolicy,
    &shapes::kQuery,
    &shapes::kScan,
    &shapes::kTagResource,
    &shapes::kTransactGetItems,
    &shapes::kTransactWriteItems,
    &shapes::kUntagResource,
    &shapes::kUpdateContributorInsights,
    &shapes::kUpdateItem,
    &shapes::kUpdateKinesisStreamingDestination,
    &shapes::kUpdateTable,
    &shapes::kUpdateTimeToLive,
};

bool fits(std::string_view text, const Shape& shape) {
  const auto document = JsonDocument::parse(text);
  PARTITA_CHECK(document.ok());
  Members members;
  return members.fits(document->root(), shape);
}

bool passes(std::string_view text, const Shape& shape) {
  const auto document = JsonDocument::parse(text);
  return document.ok() && check_shape(document->root(), shape).ok();
}

TEST(Members, EverySampleFits) {
  for (const Shape* shape : kShapes) {
    const std::string body = sample_body(*shape);
    EXPECT_TRUE(fits(body, *shape)) << shape->name << ' ' << body;
    EXPECT_TRUE(passes(body, *shape)) << shape->name << ' ' << body;
  }
}

TEST(Members, ANullIsRefusedWhereverAnElementStands) {
  for (const Shape* shape : kShapes) {
    for (const auto& [where, body] : bodies_with_null(*shape)) {
      EXPECT_FALSE(fits(body, *shape)) << shape->name << where;
      const auto document = JsonDocument::parse(body);
      const auto checked = check_shape(document->root(), *shape);
      ASSERT_FALSE(checked.ok()) << shape->name << where;
      EXPECT_EQ(model::fault_of(checked.error()), model::Fault::kConstraints) << shape->name << where;
    }
    EXPECT_FALSE(fits("null", *shape));
    EXPECT_FALSE(passes("null", *shape));
  }
}

// What fits has nothing wrong with it, whatever is done to the text.
TEST(Members, WhatFitsPasses) {
  const std::vector<std::string> pieces = {
      "null",    "1",  "-1", "1e400", "true",      "\"\"",          "\"x\"",
      "\"yes\"", "[]", "{}", "[[]]",  "{\"S\":1}", "{\"B\":\"A\"}", "{\"NULL\":\"no\"}",
      "\"a;b\""};
  SeededRandom random(11);
  size_t fitting = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Shape& shape = *kShapes[random.next() % kShapes.size()];
    std::string body = sample_body(shape);
    // Puts a piece in the place of some value.
    std::vector<size_t> colons;
    for (size_t i = 0; i < body.size(); ++i) {
      if (body[i] == ':') colons.push_back(i + 1);
    }
    if (colons.empty()) continue;  // a request without members
    const size_t at = colons[random.next() % colons.size()];
    size_t end = at;
    for (int depth = 0; end < body.size(); ++end) {
      const char c = body[end];
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) break;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
    }
    body.replace(at, end - at, pieces[random.next() % pieces.size()]);
    if (!JsonDocument::parse(body).ok()) continue;
    if (fits(body, shape)) {
      ++fitting;
      EXPECT_TRUE(passes(body, shape)) << shape.name << ' ' << body;
    }
  }
  EXPECT_GT(fitting, 1000u);
}

TEST(Members, TheLastOfTwoCountsAndANullIsAbsent) {
  const auto document = JsonDocument::parse(
      R"({"TableName":"abc","Key":{},"TableName":"def","ConsistentRead":true,"ConsistentRead":null,"Other":5})");
  Members members;
  EXPECT_FALSE(members.fits(document->root(), shapes::kGetItem));  // twice: check_shape() is to look
  EXPECT_TRUE(check_shape(document->root(), shapes::kGetItem).ok());
  EXPECT_EQ(members.text(Field::kTableName), "def");
  EXPECT_TRUE(members.has(Field::kKey));
  EXPECT_FALSE(members.has(Field::kConsistentRead));
  EXPECT_FALSE(members.flag(Field::kConsistentRead));
  EXPECT_FALSE(members.has(Field::kItem));  // of another shape
}

TEST(Members, ANullBehindARequiredMemberTakesItAway) {
  EXPECT_FALSE(fits(R"({"TableName":"abc","Key":{},"Key":null})", shapes::kGetItem));
  EXPECT_FALSE(passes(R"({"TableName":"abc","Key":{},"Key":null})", shapes::kGetItem));
}

TEST(Members, NestedStructures) {
  const auto document = JsonDocument::parse(R"({"TransactItems":[{"Get":{"TableName":"abc","Key":{"a":{"S":"b"}}}}]})");
  Members members;
  ASSERT_TRUE(members.fits(document->root(), shapes::kTransactGetItems));
  for (const JsonValue entry : members[Field::kTransactItems].elements()) {
    const Members get = Members(entry, members.element_shape(Field::kTransactItems)).in(Field::kGet);
    EXPECT_EQ(get.text(Field::kTableName), "abc");
  }
}

TEST(DistinctMembers, EachNameOnceWithItsLastValue) {
  const auto document = JsonDocument::parse(R"({"b":1,"a":2,"b":3,"c":4,"a":5})");
  std::string text;
  for (const auto& [name, value] : distinct_members(document->root())) {
    text += std::string(name) + std::to_string(value.as_integer());
  }
  EXPECT_EQ(text, "b3a5c4");
}

}  // namespace
}  // namespace partita::wire
