#include "sinks/change_json.h"

#include <gtest/gtest.h>

#include "sinks/changes_testing.h"

namespace partita::sinks {
namespace {

std::string id_in(const std::string& json) {
  const size_t at = json.find(R"("eventID":")") + 11;
  return json.substr(at, 36);
}

TEST(ChangeJson, IsTheRecordOfAKinesisStream) {
  SomeChanges changes;
  changes.put("a", "x\n");
  changes.remove("b", "y");
  const ChangeSettings settings = changes_settings("");
  const std::string put = change_json(settings, 1, changes.all()[0]).value();
  EXPECT_EQ(put, R"({"awsRegion":"eu-central-1","eventID":")" + id_in(put) +
                     R"(","eventName":"INSERT","userIdentity":null,"recordFormat":"application/json",)"
                     R"("tableName":"Orders","dynamodb":{"ApproximateCreationDateTime":1700000000000,)"
                     R"("Keys":{"p":{"S":"a"}},"NewImage":{"p":{"S":"a"},"v":{"S":"x\n"}},"SizeBytes":7},)"
                     R"("eventSource":"aws:dynamodb"})");
  Change expired = changes.all()[1];
  expired.record.by_service = true;
  const std::string removed = change_json(settings, 1, expired, TimePrecision::kMicrosecond).value();
  EXPECT_TRUE(removed.contains(R"("eventName":"REMOVE","userIdentity":{"type":"Service",)"
                               R"("principalId":"dynamodb.amazonaws.com"})"))
      << removed;
  EXPECT_TRUE(removed.contains(R"("ApproximateCreationDateTime":1700000000001000,"Keys")")) << removed;
  EXPECT_TRUE(removed.contains(R"("OldImage":{"p":{"S":"b"},"v":{"S":"y"}},"SizeBytes":6,)"
                               R"("ApproximateCreationDateTimePrecision":"MICROSECOND"})"))
      << removed;
}

TEST(ChangeJson, HasAnIdOfItsChange) {
  SomeChanges changes;
  changes.put("a", "1");
  changes.put("a", "1");
  ChangeSettings settings = changes_settings("");
  const auto id = [&](size_t slice, size_t change) {
    return id_in(change_json(settings, slice, changes.all()[change]).value());
  };
  const std::string first = id(0, 0);
  EXPECT_EQ(id(0, 0), first);
  EXPECT_NE(id(0, 1), first);
  EXPECT_NE(id(1, 0), first);
  settings.id = "z9";
  EXPECT_NE(id(0, 0), first);
}

TEST(ChangeJson, RefusesDamagedImages) {
  SomeChanges changes;
  changes.damage();
  const auto refused = change_json(changes_settings(""), 0, changes.all()[0]);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace partita::sinks
