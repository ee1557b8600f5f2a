#include "base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace partita {
namespace {

class Log : public testing::Test {
 protected:
  Log() { set_log_level(LogLevel::kInfo); }
  ~Log() override { set_log_level(LogLevel::kError); }
};

std::string logged(LogLevel level, std::string_view sentence) {
  testing::internal::CaptureStderr();
  log(level, sentence);
  return testing::internal::GetCapturedStderr();
}

TEST_F(Log, WritesTimeLevelAndSentence) {
  const std::string line = logged(LogLevel::kWarn, "The disk is full.");
  ASSERT_EQ(line.size(), std::string_view("2026-11-22T10:15:30.123Z warn  The disk is full.\n").size());
  EXPECT_EQ(line[10], 'T');
  EXPECT_EQ(line[23], 'Z');
  EXPECT_EQ(line.substr(24), " warn  The disk is full.\n");
}

TEST_F(Log, DropsWhatIsAboveTheLevel) {
  EXPECT_EQ(logged(LogLevel::kDebug, "x"), "");
  set_log_level(LogLevel::kDebug);
  EXPECT_NE(logged(LogLevel::kDebug, "x"), "");
  set_log_level(LogLevel::kError);
  EXPECT_EQ(logged(LogLevel::kWarn, "x"), "");
  EXPECT_NE(logged(LogLevel::kError, "x"), "");
}

TEST_F(Log, LetsNobodyForgeALineOrFillTheScreen) {
  EXPECT_TRUE(logged(LogLevel::kError, "a\nb\x1b[1m\x7f").ends_with(" error a?b?[1m?\n"));
  const std::string line = logged(LogLevel::kError, std::string(1'000'000, 'x'));
  EXPECT_LT(line.size(), 4096u);
  EXPECT_TRUE(line.ends_with("x\n"));
}

TEST_F(Log, JoinsParts) {
  testing::internal::CaptureStderr();
  log(LogLevel::kInfo, {"a", "b", "", "c"});
  EXPECT_TRUE(testing::internal::GetCapturedStderr().ends_with(" info  abc\n"));
}

TEST_F(Log, KnowsTheLevelsNames) {
  EXPECT_EQ(log_level_named("error"), LogLevel::kError);
  EXPECT_EQ(log_level_named("debug"), LogLevel::kDebug);
  EXPECT_EQ(log_level_named("Debug"), std::nullopt);
  EXPECT_EQ(log_level_named(""), std::nullopt);
}

TEST_F(Log, ThrottlesWhatRepeats) {
  LogThrottle throttle(60'000);
  uint64_t unsaid = 7;
  EXPECT_TRUE(throttle.pass(unsaid));
  EXPECT_EQ(unsaid, 0u);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(throttle.pass(unsaid));
  LogThrottle short_one(1);
  EXPECT_TRUE(short_one.pass(unsaid));
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      uint64_t ignored = 0;
      throttle.pass(ignored);
    });
  }
}

}  // namespace
}  // namespace partita
