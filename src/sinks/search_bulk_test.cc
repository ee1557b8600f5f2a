#include "sinks/search_bulk.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/bytes.h"

namespace partita::sinks {
namespace {

TEST(SearchBulk, WritesOneLineForADeleteAndTwoForADocument) {
  BulkBody body;
  body.index("a\"b\n", 7, R"({"x":1})");
  body.erase("c", (uint64_t{1} << 63) - 1);
  EXPECT_EQ(body.slice(0, 2),
            "{\"index\":{\"_id\":\"a\\\"b\\n\",\"version\":7,\"version_type\":\"external_gte\"}}\n{\"x\":1}\n"
            "{\"delete\":{\"_id\":\"c\",\"version\":9223372036854775807,\"version_type\":\"external_gte\"}}\n");
  EXPECT_TRUE(body.slice(1, 2).starts_with("{\"delete\"")) << body.slice(1, 2);
  EXPECT_EQ(body.slice(0, 1).size() + body.slice(1, 2).size(), body.bytes());
  body.clear();
  EXPECT_EQ(body.count(), 0U);
  EXPECT_EQ(body.bytes(), 0U);
}

Outcome only_outcome(const std::string& item) {
  auto results = read_bulk_reply("{\"items\":[" + item + "]}", 1);
  EXPECT_TRUE(results.ok()) << results.error().sentence();
  return results.ok() ? outcome_of(results->front()) : Outcome{};
}

std::string failed(int status, const std::string& type) {
  return "{\"index\":{\"status\":" + std::to_string(status) + R"(,"error":{"type":")" + type +
         R"(","reason":"the reason","caused_by":{"reason":"the cause"}}}})";
}

TEST(SearchBulk, TakesConflictsAndDeletesOfNothingForDone) {
  for (const int status : {200, 201}) {
    EXPECT_EQ(only_outcome("{\"index\":{\"status\":" + std::to_string(status) + "}}").fate, Fate::kDone);
  }
  EXPECT_EQ(only_outcome(R"({"delete":{"status":404}})").fate, Fate::kDone);
  EXPECT_FALSE(only_outcome(R"({"delete":{"status":404}})").conflict);
  const Outcome conflict = only_outcome(failed(409, "version_conflict_engine_exception"));
  EXPECT_EQ(conflict.fate, Fate::kDone);
  EXPECT_TRUE(conflict.conflict);
}

TEST(SearchBulk, TakesOverloadAndBlocksForLater) {
  for (const int status : {401, 403, 408, 429, 500, 503, 504}) {
    EXPECT_EQ(only_outcome(failed(status, "es_rejected_execution_exception")).fate, Fate::kLater) << status;
  }
  EXPECT_EQ(only_outcome(failed(400, "cluster_block_exception")).fate, Fate::kLater);
  EXPECT_EQ(only_outcome(R"({"index":{"status":404}})").fate, Fate::kLater);
}

TEST(SearchBulk, RejectsWithTheReason) {
  const Outcome rejected = only_outcome(failed(400, "mapper_parsing_exception"));
  EXPECT_EQ(rejected.fate, Fate::kRejected);
  EXPECT_EQ(rejected.reason, "mapper_parsing_exception: the reason: the cause");
  EXPECT_EQ(only_outcome(failed(409, "other")).fate, Fate::kRejected);
  const std::string umlauts(4'000, '\xc3');
  std::string text;
  for (const char c : umlauts) text += {c, '\xa4'};
  const Outcome long_one = only_outcome(R"({"index":{"status":400,"error":{"type":"t","reason":")" + text + "\"}}}");
  EXPECT_LT(long_one.reason.size(), 1'100U);
  EXPECT_TRUE(is_utf8(long_one.reason));
}

TEST(SearchBulk, KeepsNoControlCharacters) {
  const std::string error =
      R"({"type":"t\u001b[2J","reason":"a\n\u001b]0;x\u0007\u009b1m\u007fü\u00a0","caused_by":{"reason":"c\r"}})";
  const std::string clean = "t [2J: a  ]0;x   1m ü\u00a0: c ";
  EXPECT_EQ(only_outcome(R"({"index":{"status":400,"error":)" + error + "}}").reason, clean);
  EXPECT_EQ(search_error_text("{\"error\":" + error + "}"), clean);
  EXPECT_EQ(search_error_text("<a>\r\n\x1b[1m"), "<a>   [1m");
}

TEST(SearchBulk, NoticesThatTheIndexIsMissing) {
  const auto results = read_bulk_reply("{\"items\":[" + failed(404, "index_not_found_exception") + "]}", 1);
  ASSERT_TRUE(results.ok());
  EXPECT_TRUE(is_index_missing(results->front()));
}

TEST(SearchBulk, RefusesRepliesOfAnotherKind) {
  for (const std::string body :
       {"", "[]", "{}", "<html>", R"({"items":[]})", R"({"items":[{"index":{"status":201}},{"index":{"status":201}}]})",
        R"({"items":[{}]})", R"({"items":[{"index":{}}]})", R"({"items":[1]})", R"({"items":{"index":{"status":201}}})",
        R"({"items":[{"index":{"status":"201"}}]})", R"({"items":[{"a":{"status":1},"b":{"status":1}}]})"}) {
    const auto results = read_bulk_reply(body, 1);
    ASSERT_FALSE(results.ok()) << body;
    EXPECT_EQ(results.error().kind(), ErrorKind::kUnavailable);
  }
}

TEST(SearchBulk, QuotesTheErrorOfARequest) {
  EXPECT_EQ(search_error_text(R"({"error":{"type":"t","reason":"r"},"status":400})"), "t: r");
  EXPECT_EQ(search_error_text(R"({"error":"alias [x] missing","status":404})"), "alias [x] missing");
  EXPECT_EQ(search_error_text("Bad \xff Gateway"), "Bad ? Gateway");
  EXPECT_LT(search_error_text(std::string(100'000, 'x')).size(), 300U);
}

}  // namespace
}  // namespace partita::sinks
