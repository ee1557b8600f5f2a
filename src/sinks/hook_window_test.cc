#include "sinks/hook_window.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinks/changes_testing.h"
#include "sinks/hook_destination.h"
#include "table/streams/streams.h"
#include "wire/json_reader.h"

namespace partita::sinks {
namespace {

constexpr int64_t kNow = 1'700'000'000'000;  // 2023-11-14T22:13:20Z
constexpr int64_t kWidthMs = 10'000;
constexpr const char* kShard = "shardId-00000000000000000002-q7";
constexpr const char* kSource = "arn:aws:dynamodb:eu-central-1:000000000000:table/Orders/stream/s";

// A function that counts the records of each window.
class CountingHook final : public HookCaller {
 public:
  struct Event {
    size_t records = 0;
    int64_t before = 0;  // in the state
    bool is_final = false;
    bool is_early = false;
    std::string start;
    HookCall call;
  };
  HookAnswer call(size_t, const HookCall& call) override {
    const auto document = wire::JsonDocument::parse(call.body).value();
    const wire::JsonValue root = document.root();
    Event event{.records = root.get("Records").size(),
                .before = root.get("state").get("n").present() ? root.get("state").get("n").as_integer() : 0,
                .is_final = root.get("isFinalInvokeForWindow").as_boolean(),
                .is_early = root.get("isWindowTerminatedEarly").as_boolean(),
                .start = wire::text_of(root.get("window").get("start")),
                .call = call};
    events.push_back(event);
    int& left = event.is_final ? final_failures : failures;
    if (left > 0) {
      --left;
      return {.kind = misses ? HookAnswer::Kind::kMissed : HookAnswer::Kind::kFailed,
              .first = std::min(first, event.records),
              .reason = "It fails.",
              .state = counted(event.before, first)};
    }
    if (event.is_final) finals.push_back(event.before);
    return {.kind = HookAnswer::Kind::kDone, .state = counted(event.before, event.records)};
  }

  std::vector<Event> events;
  std::vector<int64_t> finals;
  int failures = 0;
  int final_failures = 0;
  size_t first = 0;
  bool misses = false;
  size_t padding = 0;  // of each state

 private:
  std::string counted(int64_t before, size_t records) const {
    return R"({"n":)" + std::to_string(before + static_cast<int64_t>(records)) + R"(,"x":")" +
           std::string(padding, 'x') + R"("})";
  }
};

class HookWindowTest : public testing::Test {
 protected:
  HookWindowTest() { options_.tumbling_ms = kWidthMs; }
  void make() {
    class Shared final : public HookCaller {
     public:
      explicit Shared(CountingHook& hook) : hook_(hook) {}
      HookAnswer call(size_t line, const HookCall& call) override { return hook_.call(line, call); }

     private:
      CountingHook& hook_;
    };
    hook_ = std::make_unique<HookDestination>(changes_settings("http://x"), options_,
                                              std::make_unique<Shared>(function_), clock_);
  }
  // Further changes, which were written at these times from kNow on.
  std::span<const Change> written(const std::vector<int64_t>& times_ms) {
    for (const int64_t time_ms : times_ms) {
      some_.put("k" + std::to_string(times_.size()), "v");
      times_.push_back(kNow + time_ms);
    }
    changes_.assign(some_.all().begin(), some_.all().end());
    for (size_t i = 0; i < changes_.size(); ++i) changes_[i].record.at_ms = times_[i];
    return std::span(changes_).last(times_ms.size());
  }
  ChangesSent send(std::span<const Change> changes) {
    if (!hook_ || restarts_) make();
    auto sent = hook_->send(2, changes, state_);
    EXPECT_TRUE(sent.ok());
    return sent.ok() ? *std::move(sent) : ChangesSent();
  }
  // As a slice does, until it is no longer due.
  void send_all(std::span<const Change> changes) {
    for (int i = 0; i < 100; ++i) {
      if (!hook_) make();
      if (changes.empty() && !hook_->due_ms(state_)) return;
      const ChangesSent sent = send(changes);
      rejected_ += sent.rejections.size();
      changes = changes.subspan(sent.done);
      if (sent.wants_more) clock_.advance_ms(sent.wait_ms);
    }
    ADD_FAILURE() << "it does not come to an end";
  }

  HookOptions options_;
  ManualClock clock_{kNow};
  CountingHook function_;
  SomeChanges some_;
  std::vector<int64_t> times_;
  std::vector<Change> changes_;
  std::unique_ptr<HookDestination> hook_;
  std::string state_;
  size_t rejected_ = 0;
  bool restarts_ = false;  // before each call of send()
};

TEST_F(HookWindowTest, EndsEachWithACallWithoutRecords) {
  for (const bool restarts : {false, true}) {
    restarts_ = restarts;
    hook_.reset();
    some_ = {};
    times_.clear();
    function_ = {};
    options_.batch_size = 2;
    send_all(written({0, 1'000, 9'999, 10'000, 25'000}));
    EXPECT_EQ(function_.finals, (std::vector<int64_t>{3, 1, 1}));
    EXPECT_EQ(state_, "");
    ASSERT_EQ(function_.events.size(), 7U);
    EXPECT_EQ(function_.events[1].before, 2);
    EXPECT_EQ(function_.events[1].records, 1U) << "no batch is of two windows";
    EXPECT_TRUE(function_.events[2].is_final);
    EXPECT_EQ(function_.events[2].records, 0U);
    EXPECT_FALSE(function_.events[2].is_early);
    EXPECT_EQ(function_.events[3].before, 0) << "a fresh state";
    EXPECT_EQ(function_.events[3].start, "2023-11-14T22:13:30Z");
    EXPECT_EQ(function_.events[6].start, "2023-11-14T22:13:40Z");
  }
}

TEST_F(HookWindowTest, SendsEventsAsLambdaDoes) {
  send_all(written({1'234}));
  ASSERT_EQ(function_.events.size(), 2U);
  for (const auto& event : function_.events) {
    const auto document = wire::JsonDocument::parse(event.call.body);
    ASSERT_TRUE(document.ok()) << event.call.body;
    EXPECT_EQ(document->root().size(), 7U);
    EXPECT_EQ(wire::text_of(document->root().get("window").get("start")), "2023-11-14T22:13:20Z");
    EXPECT_EQ(wire::text_of(document->root().get("window").get("end")), "2023-11-14T22:13:30Z");
    EXPECT_EQ(wire::text_of(document->root().get("shardId")), kShard);
    EXPECT_EQ(wire::text_of(document->root().get("eventSourceARN")), kSource);
    EXPECT_EQ(event.call.wants_state, !event.is_final);
  }
  EXPECT_TRUE(function_.events[0].call.body.contains(R"("state":{})"));
  EXPECT_TRUE(function_.events[1].call.body.starts_with(R"({"Records":[],"state":{"n":1,)"));
  EXPECT_NE(function_.events[0].call.id, function_.events[1].call.id);
}

TEST_F(HookWindowTest, IsDueOneSecondAfterItsEnd) {
  const std::span<const Change> changes = written({500});
  EXPECT_EQ(send(changes).done, 1U);
  EXPECT_EQ(hook_->due_ms(state_), kNow + kWidthMs + 1'000);
  EXPECT_TRUE(function_.finals.empty());
  EXPECT_FALSE(send({}).wants_more);
  EXPECT_EQ(function_.finals, std::vector<int64_t>{1});
  EXPECT_EQ(hook_->due_ms(state_), std::nullopt);
  options_.tumbling_ms = 0;
  make();
  EXPECT_EQ(hook_->due_ms(window_text(HookWindow::at(kNow, 1'000))), std::nullopt) << "the option is gone";
}

TEST_F(HookWindowTest, TakesLateChangesIntoTheOpenWindow) {
  send_all(written({10'000, 9'000, 11'000}));
  EXPECT_EQ(function_.finals, std::vector<int64_t>{3});
  send_all(written({9'500}));
  EXPECT_EQ(function_.finals, (std::vector<int64_t>{3, 1})) << "a closed one begins again";
}

TEST_F(HookWindowTest, RepeatsALastCallThatFails) {
  const std::span<const Change> changes = written({0, 10'000});
  function_.final_failures = 3;
  ChangesSent sent = send(changes);
  EXPECT_EQ(sent.done, 1U);
  EXPECT_EQ(sent.trouble, "It fails.");
  EXPECT_EQ(sent.wait_ms, 100);
  EXPECT_EQ(send(changes.subspan(1)).done, 0U) << "too early";
  EXPECT_EQ(function_.events.size(), 2U);
  clock_.advance_ms(100);
  EXPECT_EQ(send(changes.subspan(1)).wait_ms, 200);
  EXPECT_EQ(function_.events[1].call.id, function_.events[2].call.id);
  send_all(changes.subspan(1));
  EXPECT_EQ(function_.finals, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(function_.events.size(), 7U);
}

TEST_F(HookWindowTest, GivesUpALastCallWithoutRetriesLeft) {
  options_.most_retries = 2;
  restarts_ = true;
  function_.final_failures = 3;
  send_all(written({0, 10'000}));
  EXPECT_EQ(function_.finals, std::vector<int64_t>{1});
  EXPECT_EQ(rejected_, 0U);
  ASSERT_EQ(function_.events.size(), 6U);
  EXPECT_EQ(function_.events[3].start, function_.events[1].start) << "three last calls of the first window";
  EXPECT_EQ(function_.events[4].records, 1U);
  function_.misses = true;
  function_.final_failures = 5;
  send_all(written({20'000}));
  EXPECT_EQ(function_.finals.size(), 2U) << "calls that do not reach the function are no attempts";
}

TEST_F(HookWindowTest, GivesUpALastCallThatIsTooOld) {
  options_.most_age_ms = 60'000;
  function_.misses = true;
  function_.final_failures = 1'000;
  EXPECT_EQ(send(written({0})).done, 1U);
  send_all({});
  EXPECT_TRUE(function_.finals.empty());
  EXPECT_GT(function_.events.size(), 5U);
}

TEST_F(HookWindowTest, EndsEarlyIfTheStateIsTooLarge) {
  options_.batch_size = 2;
  function_.padding = HookWindow::kMostState;
  function_.final_failures = 1;
  send_all(written({0, 1, 2}));
  ASSERT_GE(function_.events.size(), 4U);
  EXPECT_TRUE(function_.events[1].is_early);
  EXPECT_EQ(function_.events[1].before, 2);
  EXPECT_EQ(function_.events[2].records, 2U) << "they fail with the call";
  EXPECT_EQ(function_.events[2].before, 0);
  EXPECT_EQ(function_.finals, (std::vector<int64_t>{2, 1, 0}));
  EXPECT_FALSE(function_.events.back().is_early);
  function_ = {};
  options_.batch_size = 100;
  const size_t most = HookWindow::kMostState - std::string_view(R"({"n":3,"x":""})").size();
  function_.padding = most;
  make();
  EXPECT_EQ(send(changes_).done, 3U);
  EXPECT_EQ(function_.events.size(), 1U) << "it has just the size";
  EXPECT_LT(state_.size(), size_t{64} << 10);
}

TEST_F(HookWindowTest, KeepsTheStateOfRecordsBeforeTheOneThatFails) {
  options_.reports_items = true;
  function_.failures = 1;
  function_.first = 2;
  send_all(written({0, 1, 2}));
  ASSERT_EQ(function_.events.size(), 3U);
  EXPECT_EQ(function_.events[1].before, 2);
  EXPECT_EQ(function_.finals, std::vector<int64_t>{3});
  function_.first = 0;
  function_.failures = 2;
  options_.most_retries = 1;
  make();
  send_all(written({3}));
  EXPECT_EQ(rejected_, 1U);
  EXPECT_EQ(function_.finals.size(), 1U) << "nothing was done in the window";
}

TEST_F(HookWindowTest, WaitsForABatchUntilItsEndAtMost) {
  options_.window_ms = 60'000;
  const std::span<const Change> changes = written({0, 1, 10'000});
  EXPECT_EQ(send(changes.first(2)).wait_ms, 11'000);
  EXPECT_EQ(send(changes).done, 2U) << "a later window is next";
  EXPECT_EQ(function_.finals, std::vector<int64_t>{2});
}

TEST_F(HookWindowTest, SendsALetterInAWindowOfItsOwn) {
  const std::span<const Change> changes = written({5, 6});
  make();
  const auto sent = hook_->resend(2, changes);
  ASSERT_TRUE(sent.ok());
  EXPECT_EQ(sent->done, 2U);
  EXPECT_EQ(function_.finals, (std::vector<int64_t>{1, 1}));
  function_.final_failures = 1;
  EXPECT_EQ(hook_->resend(2, changes)->rejections.size(), 1U);
}

TEST(HookWindow, IsReadFromItsText) {
  const HookWindow window{.start_ms = 10'000, .end_ms = 20'000, .state = R"({"a":"ä;"})", .last = "123", .failures = 4};
  const std::string stored = window_text(window) + "1 0=:2*1";
  std::string_view text = stored;
  EXPECT_EQ(take_window(text), window);
  EXPECT_EQ(text, "1 0=:2*1");
  EXPECT_EQ(window_end_in(stored), 20'000);
  EXPECT_EQ(window_end_in("1 0=:2*1"), std::nullopt);
  EXPECT_EQ(HookWindow::at(59'999, 60'000).start_ms, 0);
  EXPECT_EQ(HookWindow::at(INT64_MIN, 60'000).start_ms, 0);
  EXPECT_GT(HookWindow::at(INT64_MAX, 60'000).end_ms, 0);
  for (const char* const other :
       {"", "w=", "w=1", "w=1-", "w=1-2", "w=1-2:", "w=1-2:3", "w=1-2:3:4",
        "w=1-2:3:4:", "w=1-2:3:4:e30=", "w=2-2:3:4:e30=;", "w=-1-2:3:4:e30=;", "w=1-2:3::e30=;", "w=1-2:3:4:?;",
        "w=1-2:3:4:W10=;", "w=1-2:3:4:e30;x", "w=1-99999999999999999999:3:4:e30=;"}) {
    text = other;
    EXPECT_EQ(take_window(text), std::nullopt) << other;
    EXPECT_EQ(text, other);
  }
  text = "w=1-2:3:4:e30=;";
  EXPECT_TRUE(take_window(text));
}

}  // namespace
}  // namespace partita::sinks
