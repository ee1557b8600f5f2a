#include "sinks/hook_lane.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "storage/positions.h"

namespace partita::sinks {
namespace {

using Part = HookLane::Part;

TEST(HookLane, RepeatsABatchUntilItSucceeds) {
  const HookOptions options{.batch_size = 10};
  HookLane lane;
  EXPECT_EQ(lane.batch_size(options), 10U);
  EXPECT_FALSE(lane.retries());
  int64_t delay_ms = HookLane::kFirstDelayMs;
  for (int64_t i = 1; i <= 20; ++i) {
    const HookLane::Failed failed = lane.fail(4, 0, options, 0);
    EXPECT_EQ(failed.done + failed.discarded, 0U);
    EXPECT_EQ(lane.retry_at_ns(), delay_ms * kNsPerMs);
    EXPECT_EQ(lane.parts(), (std::vector<Part>{{4, i}}));
    EXPECT_EQ(lane.batch_size(options), 4U) << "the same records, though there may be more";
    delay_ms = std::min(2 * delay_ms, HookLane::kMostDelayMs);
  }
  lane.succeed(4);
  EXPECT_EQ(lane.batch_size(options), 10U);
  EXPECT_EQ(lane.retry_at_ns(), 0);
}

TEST(HookLane, GivesUpAfterItsRetries) {
  const HookOptions options{.batch_size = 10, .most_retries = 2};
  HookLane lane;
  EXPECT_EQ(lane.fail(5, 0, options, 0).discarded, 0U);
  lane.miss(0);
  lane.miss(0);  // which count as none
  EXPECT_EQ(lane.fail(5, 0, options, 0).discarded, 0U);
  EXPECT_EQ(lane.fail(5, 0, options, 0).discarded, 5U);
  EXPECT_FALSE(lane.retries());
  EXPECT_EQ(lane.retry_at_ns(), 0);
  const HookOptions none{.batch_size = 10, .most_retries = 0};
  EXPECT_EQ(lane.fail(5, 0, none, 0).discarded, 5U);
}

TEST(HookLane, GoesOnAtTheRecordThatFailed) {
  const HookOptions options{.batch_size = 10, .most_retries = 2};
  HookLane lane;
  EXPECT_EQ(lane.fail(10, 0, options, 0).done, 0U);
  EXPECT_EQ(lane.fail(10, 0, options, 0).done, 0U);
  const HookLane::Failed failed = lane.fail(10, 7, options, 0);
  EXPECT_EQ(failed.done, 7U);
  EXPECT_EQ(failed.discarded, 0U) << "these records failed for the first time";
  EXPECT_EQ(lane.parts(), (std::vector<Part>{{3, 1}}));
  EXPECT_EQ(lane.fail(3, 0, options, 0).discarded, 0U);
  EXPECT_EQ(lane.fail(3, 0, options, 0).discarded, 3U);
}

// Calls a function that fails for one record of a batch; which were given up, and in how many calls.
struct Bisected {
  std::vector<size_t> discarded;
  size_t calls = 0;
  bool operator==(const Bisected&) const = default;
};
Bisected bisected(const HookOptions& options, size_t records, size_t poison) {
  HookLane lane;
  Bisected result;
  for (size_t at = 0; at < records && result.calls < 1'000;) {
    const size_t count = std::min(lane.batch_size(options), records - at);
    ++result.calls;
    if (poison < at || poison >= at + count) {
      lane.succeed(count);
      at += count;
      continue;
    }
    const size_t first = options.reports_items ? poison - at : 0;
    const HookLane::Failed failed = lane.fail(count, first, options, 0);
    for (size_t i = 0; i < failed.discarded; ++i) result.discarded.push_back(at + failed.done + i);
    at += failed.done + failed.discarded;
  }
  EXPECT_FALSE(lane.retries()) << "nothing is left of the batch";
  return result;
}

TEST(HookLane, IsolatesARecordByBisection) {
  const HookOptions options{.batch_size = 8, .most_retries = 1, .bisects = true};
  for (size_t poison = 0; poison < 8; ++poison) {
    const Bisected result = bisected(options, 8, poison);
    EXPECT_EQ(result.discarded, std::vector<size_t>{poison});
    EXPECT_EQ(result.calls, 8U) << "8, 4, 2 and twice 1 fail; 1, 2 and 4 do not";
  }
  HookOptions reports = options;
  reports.reports_items = true;
  EXPECT_EQ(bisected(reports, 8, 7), (Bisected{{7}, 2}));
  EXPECT_EQ(bisected(reports, 8, 5), (Bisected{{5}, 5})) << "8, 3, twice 1 fail; 2 do not";
  HookOptions whole = options;
  whole.bisects = false;
  EXPECT_EQ(bisected(whole, 10, 2), (Bisected{{0, 1, 2, 3, 4, 5, 6, 7}, 3}));
}

TEST(HookLane, SplitsAPartOfWhichLessWasSent) {
  const HookOptions options{.batch_size = 10};
  HookLane lane;
  lane.fail(10, 0, options, 0);
  lane.fail(6, 0, options, 0);
  EXPECT_EQ(lane.parts(), (std::vector<Part>{{6, 2}, {4, 1}}));
  lane.pass(1);
  lane.succeed(5);
  EXPECT_EQ(lane.parts(), (std::vector<Part>{{4, 1}}));
  lane.pass(9);
  EXPECT_FALSE(lane.retries());
}

TEST(HookLane, IsStoredAsText) {
  EXPECT_EQ(hook_text(std::vector<StoredLane>(3)), "");
  std::vector<StoredLane> lanes(3);
  lanes[0].parts = {{5, 0}, {5, 12}};
  lanes[2].upto = storage::numbered_position(0xabc);
  std::string text = hook_text(lanes);
  EXPECT_EQ(text, "3 0=:5*0,5*12 2=0000000000000abc0000000000000000:");
  EXPECT_EQ(hook_lanes_from(text, 3), lanes);
  const auto one = storage::numbered_position(1);
  const auto ten = storage::numbered_position(10);
  lanes[2].given_up = {{.first = one, .last = one, .reason = "a b"},
                       {.first = ten, .last = storage::numbered_position(11), .reason = std::string(200, 'x')}};
  text = hook_text(lanes);
  EXPECT_TRUE(text.contains(" -2=00000000000000010000000000000000-00000000000000010000000000000000:YSBi -2=")) << text;
  EXPECT_EQ(hook_lanes_from(text, 3), lanes);
  lanes[2].given_up[1].reason += "more";
  EXPECT_EQ(hook_text(lanes), text);
  lanes[2].given_up = {{.first = ten, .last = ten}, {.first = one, .last = one}};
  EXPECT_EQ(hook_lanes_from(hook_text(lanes), 3), std::vector<StoredLane>(3)) << "out of order";
  HookLane lane;
  lane.restore(lanes[0].parts);
  EXPECT_EQ(lane.parts(), lanes[0].parts);
  const std::vector<StoredLane> none(2);
  for (const char* other : {"", "3 0=:5*0", "2 5=:5*0", "2 0=abc:", "2 0=:5", "2 0=:0*1", "2 0=:x*1", "x",
                            "2 =", "2 -0=", "2 -0=00000000000000010000000000000000-00000000000000010000000000000000:?",
                            "2 -0=00000000000000020000000000000000-00000000000000010000000000000000:",
                            "2 0=zz00000000000abc0000000000000000:"}) {
    EXPECT_EQ(hook_lanes_from(other, 2), none) << other;
  }
}

TEST(HookOptions, AreHonouredOrRefused) {
  const auto taken = HookOptions::from({{"BatchSize", "10000"},
                                        {"MaximumBatchingWindowInSeconds", "300"},
                                        {"ParallelizationFactor", "10"},
                                        {"MaximumRetryAttempts", "0"},
                                        {"MaximumRecordAgeInSeconds", "60"},
                                        {"BisectBatchOnFunctionError", "true"},
                                        {"FunctionResponseTypes", "ReportBatchItemFailures"},
                                        {"FilterCriteria", R"({"Filters":[{"Pattern":"{\"a\":[1]}"}]})"},
                                        {"TumblingWindowInSeconds", "0"},
                                        {"OnFailure", "https://x/y"},
                                        {"Timeout", "900"}});
  ASSERT_TRUE(taken.ok()) << taken.error().sentence();
  EXPECT_EQ(taken->batch_size, 10'000U);
  EXPECT_EQ(taken->on_failure, "https://x/y");
  EXPECT_EQ(taken->window_ms, 300'000);
  EXPECT_EQ(taken->lanes, 10U);
  EXPECT_EQ(taken->most_retries, 0);
  EXPECT_EQ(taken->most_age_ms, 60'000);
  EXPECT_TRUE(taken->bisects);
  EXPECT_TRUE(taken->reports_items);
  EXPECT_FALSE(taken->filter.empty());
  EXPECT_EQ(taken->timeout_ms, 900'000);
  EXPECT_EQ(HookOptions::from({{"MaximumRecordAgeInSeconds", "-1"}})->most_age_ms, -1);
  EXPECT_EQ(taken->tumbling_ms, 0);
  EXPECT_EQ(HookOptions::from({{"TumblingWindowInSeconds", "900"}})->tumbling_ms, 900'000);
  const auto wide = HookOptions::from({{"TumblingWindowInSeconds", "1"}, {"ParallelizationFactor", "2"}});
  ASSERT_FALSE(wide.ok());
  EXPECT_EQ(wide.error().sentence(), "TumblingWindowInSeconds needs a ParallelizationFactor of 1.");
  const std::pair<const char*, const char*> kBad[] = {{"BatchSize", "0"},
                                                      {"BatchSize", "10001"},
                                                      {"BatchSize", "1x"},
                                                      {"BatchSize", ""},
                                                      {"MaximumBatchingWindowInSeconds", "301"},
                                                      {"ParallelizationFactor", "0"},
                                                      {"ParallelizationFactor", "11"},
                                                      {"MaximumRetryAttempts", "-2"},
                                                      {"MaximumRetryAttempts", "10001"},
                                                      {"MaximumRecordAgeInSeconds", "59"},
                                                      {"MaximumRecordAgeInSeconds", "604801"},
                                                      {"BisectBatchOnFunctionError", "yes"},
                                                      {"FunctionResponseTypes", "Other"},
                                                      {"FilterCriteria", "x"},
                                                      {"TumblingWindowInSeconds", "901"},
                                                      {"Timeout", "901"},
                                                      {"OnFailure", "arn:aws:sqs:x"},
                                                      {"DestinationConfig", "{}"},
                                                      {"batchsize", "1"}};
  for (const auto& [name, value] : kBad) {
    const auto refused = HookOptions::from({{name, value}});
    ASSERT_FALSE(refused.ok()) << name << "=" << value;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
    EXPECT_TRUE(refused.error().sentence().contains(name)) << refused.error().sentence();
  }
}

}  // namespace
}  // namespace partita::sinks
