// Calls of functions that are told to end: what they did not say is done, is not.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "net/responder_testing.h"
#include "sinks/changes_testing.h"
#include "sinks/hook_destination.h"
#include "sinks/lane_threads.h"

namespace partita::sinks {

Result<std::unique_ptr<ChangeDestination>> make_hook_destination(const ChangeSettings& settings, std::stop_token hurry);

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Counts the calls that are made at the same time, and answers none before the end.
class SilentHook final : public HookCaller {
 public:
  explicit SilentHook(std::stop_token hurry) : hurry_(std::move(hurry)) {}
  HookAnswer call(size_t, const HookCall&) override {
    ++calls;
    while (!hurry_.stop_requested()) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(100));
    return {.kind = HookAnswer::Kind::kMissed, .reason = "interrupted"};
  }
  bool hurries() const override { return hurry_.stop_requested(); }

  static inline std::atomic<size_t> calls{0};

 private:
  const std::stop_token hurry_;
};

// Asks it to end once `ready` says so. How long send() took after that.
steady_clock::duration time_to_end(ChangeDestination& destination, std::stop_source& stop, const SomeChanges& changes,
                                   const std::function<bool()>& ready, ChangesSent& sent) {
  steady_clock::time_point told;
  std::jthread teller([&] {
    const auto give_up = steady_clock::now() + seconds(10);
    while (!ready() && steady_clock::now() < give_up) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_TRUE(ready());
    told = steady_clock::now();
    stop.request_stop();
  });
  std::string state;
  auto done = destination.send(0, changes.all(), state);
  const auto ended = steady_clock::now();
  teller.join();
  EXPECT_TRUE(done.ok());
  if (done.ok()) sent = std::move(*done);
  return ended - told;
}

SomeChanges changes_of_all_lanes() {
  SomeChanges changes;
  for (int i = 0; i < 100; ++i) changes.put("k" + std::to_string(i), "1");
  return changes;
}

// With ten lanes. Begins to count its calls.
std::unique_ptr<HookDestination> silent_destination(std::stop_token hurry) {
  SilentHook::calls = 0;
  auto settings = changes_settings("http://x", {{"ParallelizationFactor", "10"}});
  const HookOptions options = HookOptions::from(settings.options).value();
  return std::make_unique<HookDestination>(settings, options, std::make_unique<SilentHook>(std::move(hurry)),
                                           system_clock());
}

TEST(HookHalt, EndsACallThatNobodyAnswers) {
  std::atomic<bool> asked{false};
  std::atomic<bool> over{false};
  net::Responder silent([&](std::string_view) {
    asked = true;
    while (!over) std::this_thread::sleep_for(milliseconds(1));
    return net::json_reply(200, "{}");
  });
  std::stop_source stop;
  auto settings = changes_settings("http://127.0.0.1:" + silent.url().port + "/hook",
                                   {{"Timeout", "900"}, {"MaximumRetryAttempts", "0"}});
  const auto destination = make_hook_destination(settings, stop.get_token()).value();
  SomeChanges changes;
  changes.put("a", "1");
  ChangesSent sent;
  EXPECT_LT(time_to_end(*destination, stop, changes, [&] { return asked.load(); }, sent), milliseconds(1'500));
  EXPECT_EQ(sent.done, 0U);
  EXPECT_TRUE(sent.rejections.empty()) << "it was no attempt";
  over = true;
}

// Others may have all threads for lanes: then the calls follow each other, and those that were not made end at once.
TEST(HookHalt, EndsLanesThatHaveNoThreads) {
  std::deque<LaneThreads::Share> others;
  std::vector<size_t> taken;
  do {
    others.emplace_back(LaneThreads::all());
    taken.push_back(0);
    while (others.back().take()) ++taken.back();
  } while (taken.back() > 0);
  EXPECT_EQ(std::accumulate(taken.begin(), taken.end(), size_t{0}), LaneThreads::kMost);
  std::stop_source stop;
  const SomeChanges changes = changes_of_all_lanes();
  const auto destination = silent_destination(stop.get_token());
  ChangesSent sent;
  const auto took = time_to_end(*destination, stop, changes, [] { return SilentHook::calls == 1; }, sent);
  EXPECT_LT(took, milliseconds(500));
  EXPECT_EQ(SilentHook::calls, 1U);
  EXPECT_EQ(sent.done, 0U);
  for (size_t i = 0; i < taken.size(); ++i) {
    while (taken[i]-- > 0) others[i].give_back();
  }
}

TEST(HookHalt, GivesItsThreadsBack) {
  std::stop_source stop;
  const SomeChanges changes = changes_of_all_lanes();
  const auto destination = silent_destination(stop.get_token());
  ChangesSent sent;
  LaneThreads::Share other(LaneThreads::all());
  const auto ready = [&] {
    if (SilentHook::calls != 10) return false;
    size_t most = 0;
    while (other.take()) ++most;
    for (size_t i = 0; i < most; ++i) other.give_back();
    EXPECT_EQ(most, (LaneThreads::kMost - 9 + 1) / 2) << "nine threads are counted";
    return true;
  };
  EXPECT_LT(time_to_end(*destination, stop, changes, ready, sent), milliseconds(500));
  size_t most = 0;
  while (other.take()) ++most;
  EXPECT_EQ(most, LaneThreads::kMost / 2);
  while (most-- > 0) other.give_back();
}

}  // namespace
}  // namespace partita::sinks
