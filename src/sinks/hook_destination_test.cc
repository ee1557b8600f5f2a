#include "sinks/hook_destination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>

#include "base/mutex.h"
#include "sinks/changes_testing.h"
#include "table/streams/streams.h"
#include "wire/json_reader.h"

namespace partita::sinks {
namespace {

// A function that a test is.
class FakeHook final : public HookCaller {
 public:
  using Function = std::function<HookAnswer(const HookCall& call)>;
  explicit FakeHook(Function function) : function_(std::move(function)) {}
  HookAnswer call(size_t, const HookCall& call) override {
    const MutexLock lock(mutex_);
    return function_(call);
  }

 private:
  Mutex mutex_;
  const Function function_;
};

class HookDestinationTest : public testing::Test {
 protected:
  void make() {
    auto hook = std::make_unique<FakeHook>([this](const HookCall& call) { return answer(call); });
    std::unique_ptr<HookCaller> on_failure;
    if (tells_) {
      on_failure = std::make_unique<FakeHook>([this](const HookCall& call) {
        told_.push_back(call);
        return told_answer_;
      });
    }
    hook_ = std::make_unique<HookDestination>(changes_settings("http://x"), options_, std::move(hook), clock_,
                                              std::move(on_failure));
  }
  ChangesSent send(std::span<const Change> changes) {
    if (!hook_) make();
    auto sent = hook_->send(2, changes, state_);
    EXPECT_TRUE(sent.ok());
    return sent.ok() ? *std::move(sent) : ChangesSent();
  }
  // Sends until all is done, as a slice does; how many calls of the function that took.
  size_t send_all(std::span<const Change> changes) {
    const size_t before = calls_.size();
    for (int i = 0; i < 1'000 && !changes.empty(); ++i) {
      const ChangesSent sent = send(changes);
      for (const Rejection& one : sent.rejections) {
        rejected_.push_back(table::sequence_number(changes[one.index].position));
        reasons_.push_back(one.reason);
      }
      changes = changes.subspan(sent.done);
      if (changes.empty()) break;
      EXPECT_TRUE(sent.wants_more);
      EXPECT_GT(sent.wait_ms, 0);
      clock_.advance_ms(sent.wait_ms);
      if (restarts_) make();
    }
    EXPECT_TRUE(changes.empty()) << "it does not come to an end";
    return calls_.size() - before;
  }
  size_t calls_of(const std::string& change) const {
    return static_cast<size_t>(std::ranges::count_if(calls_, [&](const HookCall& one) {
      return std::ranges::find(one.sequence_numbers, change) != one.sequence_numbers.end();
    }));
  }
  static std::string number(size_t change) { return table::sequence_number(storage::Position(position(change))); }
  static storage::Position position(size_t change) {
    SomeChanges changes;
    for (size_t i = 0; i <= change; ++i) changes.put("x", "y");
    return changes.all().back().position;
  }

  HookOptions options_;
  ManualClock clock_{1'700'000'000'000};
  std::string state_;
  bool restarts_ = false;  // before each call of send()
  std::set<std::string> poison_;
  std::set<std::string> missed_;
  bool down_ = false;
  bool throws_ = false;
  bool reason_of_each_ = false;  // names the record
  bool tells_ = false;           // OnFailure, which answers `told_answer_`
  HookAnswer told_answer_;
  std::vector<HookCall> told_;
  std::vector<HookCall> calls_;
  std::vector<std::string> taken_;
  std::vector<std::string> rejected_;
  std::vector<std::string> reasons_;
  std::unique_ptr<HookDestination> hook_;

 private:
  HookAnswer answer(const HookCall& call) {
    if (down_ || missed_.contains(call.sequence_numbers.front())) {
      return {.kind = HookAnswer::Kind::kMissed, .reason = "It is down."};
    }
    if (throws_) static_cast<void>(reasons_.at(reasons_.size()));
    calls_.push_back(call);
    for (size_t i = 0; i < call.sequence_numbers.size(); ++i) {
      if (poison_.contains(call.sequence_numbers[i])) {
        return {.kind = HookAnswer::Kind::kFailed,
                .first = options_.reports_items ? i : 0,
                .reason = "It is poison." + (reason_of_each_ ? " " + call.sequence_numbers[i] : "")};
      }
      if (options_.reports_items) taken_.push_back(call.sequence_numbers[i]);
    }
    if (!options_.reports_items)
      taken_.insert(taken_.end(), call.sequence_numbers.begin(), call.sequence_numbers.end());
    return {};
  }
};

TEST_F(HookDestinationTest, SendsEventsAsLambdaDoes) {
  SomeChanges changes;
  changes.put("a", "1");
  changes.remove("b", "2");
  EXPECT_EQ(send_all(changes.all()), 1U);
  const auto document = wire::JsonDocument::parse(calls_[0].body);
  ASSERT_TRUE(document.ok()) << calls_[0].body;
  std::vector<wire::JsonValue> records;
  for (const auto& one : document->root().get("Records").elements()) records.push_back(one);
  ASSERT_EQ(records.size(), 2U);
  const wire::JsonValue first = records[0];
  EXPECT_EQ(wire::text_of(first.get("eventID")).size(), 32U);
  EXPECT_EQ(wire::text_of(first.get("eventName")), "INSERT");
  EXPECT_EQ(wire::text_of(first.get("eventVersion")), "1.1");
  EXPECT_EQ(wire::text_of(first.get("eventSource")), "aws:dynamodb");
  EXPECT_EQ(wire::text_of(first.get("awsRegion")), "eu-central-1");
  EXPECT_EQ(wire::text_of(first.get("eventSourceARN")),
            "arn:aws:dynamodb:eu-central-1:000000000000:table/Orders/stream/s");
  EXPECT_EQ(wire::text_of(first.get("dynamodb").get("SequenceNumber")), number(0));
  EXPECT_EQ(wire::text_of(first.get("dynamodb").get("StreamViewType")), "NEW_AND_OLD_IMAGES");
  EXPECT_EQ(wire::text_of(first.get("dynamodb").get("NewImage").get("v").get("S")), "1");
  EXPECT_EQ(wire::text_of(records[1].get("dynamodb").get("OldImage").get("v").get("S")), "2");
  EXPECT_EQ(state_, "");
}

TEST_F(HookDestinationTest, SendsFullBatchesAtOnceAndTheRestAfterTheWindow) {
  options_.batch_size = 3;
  options_.window_ms = 5'000;
  SomeChanges changes;
  for (int i = 0; i < 7; ++i) changes.put("k" + std::to_string(i), "v");
  const ChangesSent sent = send(changes.all());
  EXPECT_EQ(sent.done, 6U);
  EXPECT_TRUE(sent.wants_more);
  EXPECT_EQ(sent.wait_ms, 5'000);
  clock_.advance_ms(4'999);
  EXPECT_EQ(send(changes.from(6)).done, 0U);
  clock_.advance_ms(1);
  EXPECT_EQ(send(changes.from(6)).done, 1U);
  EXPECT_EQ(calls_.size(), 3U);
  changes.put("more", "v");
  EXPECT_EQ(send(changes.from(7)).wait_ms, 5'000) << "a new window";
}

TEST_F(HookDestinationTest, SendsTheSameBatchAgainAfterGrowingDelays) {
  options_.batch_size = 10;
  SomeChanges changes;
  changes.put("a", "1");
  changes.put("b", "2");
  poison_ = {number(1)};
  ChangesSent sent = send(changes.all());
  EXPECT_EQ(sent.done, 0U);
  EXPECT_EQ(sent.trouble, "It is poison.");
  EXPECT_EQ(sent.wait_ms, 100);
  EXPECT_EQ(state_, "1 0=:2*1");
  EXPECT_EQ(send(changes.all()).wait_ms, 100) << "too early";
  changes.put("c", "3");
  clock_.advance_ms(100);
  sent = send(changes.all());
  EXPECT_EQ(sent.wait_ms, 200);
  ASSERT_EQ(calls_.size(), 2U);
  EXPECT_EQ(calls_[1].id, calls_[0].id);
  EXPECT_EQ(calls_[1].body, calls_[0].body) << "a batch stays the same";
  poison_.clear();
  EXPECT_EQ(send_all(changes.all()), 2U);
  EXPECT_EQ(taken_, (std::vector<std::string>{number(0), number(1), number(2)}));
  EXPECT_EQ(state_, "");
}

TEST_F(HookDestinationTest, CountsAttemptsThroughRestarts) {
  options_.most_retries = 3;
  options_.batch_size = 2;
  restarts_ = true;
  SomeChanges changes;
  for (int i = 0; i < 4; ++i) changes.put("k" + std::to_string(i), "v");
  poison_ = {number(1)};
  EXPECT_EQ(send_all(changes.all()), 5U) << "one call and three retries, and the other batch";
  EXPECT_EQ(rejected_, (std::vector<std::string>{number(0), number(1)}));
  ASSERT_FALSE(reasons_.empty());
  EXPECT_EQ(reasons_[0], "No retries are left. It is poison.");
  EXPECT_EQ(taken_, (std::vector<std::string>{number(2), number(3)}));
}

TEST_F(HookDestinationTest, CountsNoAttemptsIfTheFunctionIsNotReached) {
  options_.most_retries = 0;
  SomeChanges changes;
  changes.put("a", "1");
  down_ = true;
  for (int i = 0; i < 20; ++i) {
    const ChangesSent sent = send(changes.all());
    EXPECT_EQ(sent.done, 0U);
    EXPECT_EQ(sent.trouble, "It is down.");
    EXPECT_LE(sent.wait_ms, 30'000);
    clock_.advance_ms(sent.wait_ms);
  }
  EXPECT_EQ(state_, "");
  down_ = false;
  EXPECT_EQ(send_all(changes.all()), 1U);
  EXPECT_TRUE(rejected_.empty());
}

TEST_F(HookDestinationTest, IsolatesARecordByBisection) {
  options_.bisects = true;
  options_.most_retries = 1;
  for (const bool restarts : {false, true}) {
    restarts_ = restarts;
    for (const bool reports : {false, true}) {
      options_.reports_items = reports;
      hook_.reset();
      taken_.clear(), rejected_.clear(), state_.clear();
      SomeChanges changes;
      for (int i = 0; i < 16; ++i) changes.put("k" + std::to_string(i), "v");
      poison_ = {number(5), number(11)};
      send_all(changes.all());
      EXPECT_EQ(rejected_, (std::vector<std::string>{number(5), number(11)}));
      EXPECT_EQ(taken_.size(), 14U);
      EXPECT_TRUE(std::ranges::is_sorted(taken_));
      EXPECT_EQ(state_, "");
    }
  }
}

TEST_F(HookDestinationTest, RejectsWhatIsTooOld) {
  options_.most_age_ms = 60'000;
  SomeChanges changes;  // one is written each millisecond
  for (int i = 0; i < 3; ++i) changes.put("k" + std::to_string(i), "v");
  clock_.advance_ms(60'001);
  EXPECT_EQ(send_all(changes.all()), 1U);
  EXPECT_EQ(rejected_, (std::vector<std::string>{number(0)}));
  ASSERT_FALSE(reasons_.empty());
  EXPECT_EQ(reasons_[0], "It is older than MaximumRecordAgeInSeconds.");
  EXPECT_EQ(taken_, (std::vector<std::string>{number(1), number(2)}));
  rejected_.clear();
  poison_ = {number(3), number(4)};
  for (int i = 0; i < 2; ++i) changes.put("k" + std::to_string(i), "v");
  send_all(changes.from(3));
  EXPECT_EQ(rejected_, (std::vector<std::string>{number(3), number(4)})) << "a batch that fails is too old in the end";
}

TEST_F(HookDestinationTest, LeavesOutWhatTheFilterDoes) {
  options_.filter = FilterCriteria::parse(R"({"Filters":[{"Pattern":"{\"eventName\":[\"REMOVE\"]}"}]})").value();
  SomeChanges changes;
  changes.put("a", "1");
  changes.remove("a", "1");
  changes.damage();
  changes.put("b", "1");
  send_all(changes.all());
  EXPECT_EQ(taken_, (std::vector<std::string>{number(1)}));
  EXPECT_EQ(rejected_, (std::vector<std::string>{number(2)}));
}

TEST_F(HookDestinationTest, RejectsWhatIsDamagedOrTooLarge) {
  SomeChanges changes;
  changes.put("a", "1");
  changes.damage();
  changes.put("b", std::string(HookDestination::kMostEventBytes, 'x'));
  changes.put("c", "3");
  send_all(changes.all());
  EXPECT_EQ(taken_, (std::vector<std::string>{number(0), number(3)}));
  EXPECT_EQ(rejected_, (std::vector<std::string>{number(1), number(2)}));
  ASSERT_EQ(reasons_.size(), 2U);
  EXPECT_TRUE(reasons_[1].contains("6 MiB")) << reasons_[1];
}

TEST_F(HookDestinationTest, KeepsEventsBelowSixMebibytes) {
  SomeChanges changes;
  for (int i = 0; i < 20; ++i) changes.put("k" + std::to_string(i), std::string(400'000, 'x'));
  send_all(changes.all());
  EXPECT_EQ(taken_.size(), 20U);
  ASSERT_EQ(calls_.size(), 2U);
  for (const HookCall& call : calls_) EXPECT_LE(call.body.size(), HookDestination::kMostEventBytes);
  EXPECT_GT(calls_[0].body.size(), size_t{5} << 20);
}

TEST_F(HookDestinationTest, SendsWithoutAWindowWhatFillsTheLimits) {
  options_.window_ms = 300'000;
  options_.batch_size = 10'000;
  SomeChanges changes;
  for (int i = 0; i < 18; ++i) changes.put("k" + std::to_string(i), std::string(400'000, 'x'));
  EXPECT_EQ(send(changes.all().first(5)).done, 0U);
  EXPECT_GT(send(changes.all()).done, 0U) << "there is no room for more";
}

// An item whose changes fail holds up its lane alone.
TEST_F(HookDestinationTest, GoesOnInOtherLanes) {
  options_.lanes = 4;
  options_.batch_size = 5;
  SomeChanges changes;
  for (int i = 0; i < 40; ++i) changes.put("k" + std::to_string(i % 8), std::to_string(i));
  poison_ = {number(0)};
  const ChangesSent sent = send(changes.all());
  EXPECT_EQ(sent.done, 0U);
  EXPECT_EQ(sent.trouble, "It is poison.");
  EXPECT_GE(taken_.size(), 10U);
  const std::vector<std::string> before = taken_;
  make();  // a restart: lanes stay where they were
  poison_.clear();
  clock_.advance_ms(100);
  send_all(changes.all());
  EXPECT_EQ(taken_.size(), 40U) << "each once";
  std::map<std::string, std::vector<std::string>> by_item;
  for (const std::string& one : taken_) {
    size_t at = 0;
    while (number(at) != one) ++at;
    by_item["k" + std::to_string(at % 8)].push_back(one);
  }
  EXPECT_EQ(by_item.size(), 8U);
  for (const auto& [item, order] : by_item) {
    EXPECT_EQ(order.size(), 5U);
    EXPECT_TRUE(std::ranges::is_sorted(order)) << item;
  }
  EXPECT_EQ(state_, "");
}

// What a lane gave up is not passed before its letter is written.
TEST_F(HookDestinationTest, LosesNoRejectionOfALaneThatIsAhead) {
  options_.lanes = 2;
  options_.batch_size = 1;
  options_.most_retries = 0;
  SomeChanges changes;
  for (int i = 0; i < 12; ++i) changes.put("k" + std::to_string(i), "v");
  missed_ = {number(0)};
  send(changes.all());
  ASSERT_FALSE(taken_.empty());
  const std::string other = taken_.front();  // of the lane that the first change is not in
  taken_.clear(), state_.clear();
  poison_ = {other};
  make();
  EXPECT_EQ(send(changes.all()).done, 0U);
  const size_t before = calls_of(other);
  EXPECT_FALSE(taken_.empty()) << "what is behind it";
  make();
  missed_.clear();
  send_all(changes.all());
  EXPECT_EQ(rejected_, (std::vector<std::string>{other}));
  EXPECT_EQ(reasons_, (std::vector<std::string>{"No retries are left. It is poison."}));
  EXPECT_EQ(calls_of(other), before) << "it is given up for good";
  std::set<std::string> all(taken_.begin(), taken_.end());
  EXPECT_EQ(all.size(), 11U);
  EXPECT_EQ(taken_.size(), 11U) << "each once";
}

// A restart begins with fewer changes than a lane was ahead, and what it had given up spans the end of them.
TEST_F(HookDestinationTest, RemembersWhatLanesGaveUpFurtherAhead) {
  options_.lanes = 2;
  options_.batch_size = 3;
  options_.most_retries = 0;
  SomeChanges changes;
  for (int i = 0; i < 40; ++i) changes.put("k" + std::to_string(i), "v");
  missed_ = {number(0)};
  for (int i = 1; i < 40; ++i) poison_.insert(number(i));
  EXPECT_EQ(send(changes.all()).done, 0U);
  const size_t before = calls_.size();
  ASSERT_GT(before, 4U);
  const std::string state = state_;
  for (const size_t some : {2, 5, 11, 20, 40}) {
    make();
    EXPECT_EQ(send(changes.all().first(some)).done, 0U);
    EXPECT_EQ(state_, state) << some;
  }
  EXPECT_EQ(calls_.size(), before);
  missed_.clear(), poison_.clear();
  make();
  send_all(changes.all());
  EXPECT_EQ(rejected_.size() + taken_.size(), 40U);
  EXPECT_GT(rejected_.size(), 10U);
}

TEST_F(HookDestinationTest, RemembersSoMuchOfWhatItGaveUp) {
  options_.lanes = 2;
  options_.batch_size = 1;
  options_.most_retries = 0;
  SomeChanges changes;
  for (int i = 0; i < 300; ++i) changes.put("k" + std::to_string(i), "v");
  missed_ = {number(0)};
  for (int i = 1; i < 300; i += 1) poison_.insert(number(i));
  reason_of_each_ = true;
  send(changes.all());
  const size_t before = calls_.size();
  ASSERT_GT(before, 100U);
  EXPECT_LT(state_.size(), size_t{64} << 10);
  make();
  clock_.advance_ms(100);
  send(changes.all());
  EXPECT_EQ(calls_.size(), 2 * before - StoredLane::kMostGivenUp) << "the rest is tried again";
  missed_.clear(), poison_.clear();
  make();
  send_all(changes.all());
  EXPECT_GE(rejected_.size(), StoredLane::kMostGivenUp);
  EXPECT_EQ(rejected_.size() + taken_.size(), 300U);
}

// Also in a thread of a lane.
TEST_F(HookDestinationTest, MissesAFunctionThatThrows) {
  options_.lanes = 4;
  options_.most_retries = 0;
  SomeChanges changes;
  for (int i = 0; i < 12; ++i) changes.put("k" + std::to_string(i), "v");
  throws_ = true;
  const ChangesSent sent = send(changes.all());
  EXPECT_EQ(sent.done, 0U);
  EXPECT_EQ(sent.trouble, "There is no memory for it.");
  throws_ = false;
  send_all(changes.all());
  EXPECT_EQ(taken_.size(), 12U);
  EXPECT_TRUE(rejected_.empty());
}

TEST_F(HookDestinationTest, TellsOnFailureAsLambdaDoes) {
  tells_ = true;
  options_.most_retries = 2;
  options_.bisects = true;
  SomeChanges changes;  // one is written each millisecond
  for (int i = 0; i < 4; ++i) changes.put("k" + std::to_string(i), "v");
  poison_ = {number(2), number(3)};
  send_all(changes.all());
  EXPECT_TRUE(rejected_.empty());
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_EQ(told_[1].id, "failed_" + calls_.back().id.substr(4));
  EXPECT_NE(told_[0].id, told_[1].id);
  const auto document = wire::JsonDocument::parse(told_[1].body);
  ASSERT_TRUE(document.ok()) << told_[1].body;
  const wire::JsonValue root = document->root();
  const wire::JsonValue request = root.get("requestContext");
  EXPECT_EQ(wire::text_of(request.get("requestId")), calls_.back().id) << "the id of the last call";
  EXPECT_EQ(wire::text_of(request.get("functionArn")), "arn:aws:lambda:eu-central-1:000000000000:function:s");
  EXPECT_EQ(wire::text_of(request.get("condition")), "RetryAttemptsExhausted");
  EXPECT_EQ(request.get("approximateInvokeCount").as_integer(), 3);
  const wire::JsonValue response = root.get("responseContext");
  EXPECT_EQ(response.get("statusCode").as_integer(), 200);
  EXPECT_EQ(wire::text_of(response.get("executedVersion")), "$LATEST");
  EXPECT_EQ(wire::text_of(response.get("functionError")), "Unhandled");
  EXPECT_EQ(wire::text_of(root.get("version")), "1.0");
  EXPECT_TRUE(wire::text_of(root.get("timestamp")).starts_with("2023-11-14T22:13:2")) << told_[1].body;
  EXPECT_TRUE(wire::text_of(root.get("timestamp")).ends_with("Z"));
  const wire::JsonValue batch = root.get("DDBStreamBatchInfo");
  EXPECT_TRUE(wire::text_of(batch.get("shardId")).starts_with("shardId-00000000000000000002-"));
  EXPECT_EQ(wire::text_of(batch.get("startSequenceNumber")), number(3));
  EXPECT_EQ(wire::text_of(batch.get("endSequenceNumber")), number(3));
  EXPECT_EQ(wire::text_of(batch.get("approximateArrivalOfFirstRecord")), "2023-11-14T22:13:20Z");
  EXPECT_EQ(wire::text_of(batch.get("approximateArrivalOfLastRecord")), "2023-11-14T22:13:20Z");
  EXPECT_EQ(batch.get("batchSize").as_integer(), 1);
  EXPECT_EQ(wire::text_of(batch.get("streamArn")), "arn:aws:dynamodb:eu-central-1:000000000000:table/Orders/stream/s");
  EXPECT_EQ(wire::text_of(root.get("payload")), calls_.back().body);
}

TEST_F(HookDestinationTest, TellsOnFailureOfWhatIsTooOld) {
  tells_ = true;
  options_.batch_size = 2;
  options_.most_age_ms = 60'000;
  SomeChanges changes;
  for (int i = 0; i < 5; ++i) changes.put("k" + std::to_string(i), "v");
  clock_.advance_ms(120'000);
  EXPECT_EQ(send_all(changes.all()), 0U);
  EXPECT_TRUE(rejected_.empty());
  ASSERT_EQ(told_.size(), 3U);
  EXPECT_EQ(told_[0].sequence_numbers, (std::vector<std::string>{number(0), number(1)}));
  EXPECT_EQ(told_[2].sequence_numbers, (std::vector<std::string>{number(4)}));
  EXPECT_TRUE(told_[0].body.contains(R"("condition":"RecordAgeExceeded","approximateInvokeCount":0})"))
      << told_[0].body;
  EXPECT_FALSE(told_[0].body.contains("responseContext"));
}

// If OnFailure does not take it, nothing is lost, and it is left alone for a while.
TEST_F(HookDestinationTest, WritesLettersIfOnFailureFails) {
  tells_ = true;
  told_answer_ = {.kind = HookAnswer::Kind::kMissed, .reason = "It is down too."};
  options_.batch_size = 1;
  options_.most_retries = 0;
  SomeChanges changes;
  for (int i = 0; i < 3; ++i) {
    changes.put("k" + std::to_string(i), "v");
    poison_.insert(number(static_cast<size_t>(i)));
  }
  send_all(changes.all());
  EXPECT_EQ(told_.size(), 1U);
  EXPECT_EQ(rejected_.size(), 3U);
  ASSERT_EQ(reasons_.size(), 3U);
  EXPECT_EQ(reasons_[0], "No retries are left. It is poison. OnFailure: It is down too.");
  EXPECT_EQ(reasons_[1], "No retries are left. It is poison.");
  told_answer_ = {};
  clock_.advance_ms(HookDestination::kTellPauseMs);
  changes.put("k3", "v");
  poison_.insert(number(3));
  send_all(changes.from(3));
  EXPECT_EQ(told_.size(), 2U);
  EXPECT_EQ(rejected_.size(), 3U);
}

TEST_F(HookDestinationTest, TellsOnFailureForEachLane) {
  tells_ = true;
  options_.lanes = 4;
  options_.batch_size = 5;
  options_.most_retries = 0;
  SomeChanges changes;
  std::set<std::string> all;
  for (int i = 0; i < 40; ++i) {
    changes.put("k" + std::to_string(i), "v");
    poison_.insert(number(static_cast<size_t>(i)));
    all.insert(number(static_cast<size_t>(i)));
  }
  restarts_ = true;
  send_all(changes.all());
  EXPECT_TRUE(rejected_.empty());
  std::multiset<std::string> told;
  for (const HookCall& one : told_) {
    EXPECT_LE(one.sequence_numbers.size(), 5U);
    told.insert(one.sequence_numbers.begin(), one.sequence_numbers.end());
  }
  EXPECT_EQ(std::set<std::string>(told.begin(), told.end()), all);
  EXPECT_EQ(told.size(), 40U) << "each once";
}

TEST_F(HookDestinationTest, SendsLettersOneByOne) {
  SomeChanges changes;
  for (int i = 0; i < 3; ++i) changes.put("k" + std::to_string(i), "v");
  poison_ = {number(1)};
  make();
  auto sent = hook_->resend(2, changes.all());
  ASSERT_TRUE(sent.ok());
  EXPECT_EQ(sent->done, 3U);
  ASSERT_EQ(sent->rejections.size(), 1U);
  EXPECT_EQ(sent->rejections[0].index, 1U);
  EXPECT_EQ(calls_.size(), 3U);
  down_ = true;
  sent = hook_->resend(2, changes.all());
  EXPECT_EQ(sent->done, 0U);
  EXPECT_EQ(sent->trouble, "It is down.");
}

}  // namespace
}  // namespace partita::sinks
