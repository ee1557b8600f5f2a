#include "base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
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

TEST_F(Log, WritesJson) {
  set_log_format(LogFormat::kJson);
  const auto message = [](std::string_view sentence) {
    const std::string line = logged(LogLevel::kWarn, sentence);
    constexpr std::string_view kBegin = R"({"time":"2026-11-22T10:15:30.123Z","level":"warn","message":")";
    EXPECT_TRUE(line.starts_with(R"({"time":"2)") && line.ends_with("\"}\n")) << line;
    EXPECT_EQ(line.substr(kBegin.size() - 13, 13), R"(","message":")") << line;
    return line.substr(kBegin.size(), line.size() - kBegin.size() - 3);
  };
  EXPECT_EQ(message("The disk is full."), "The disk is full.");
  EXPECT_EQ(message(R"(say "a\b")"), R"(say \"a\\b\")");
  EXPECT_EQ(message("a\nb\x7f"), "a?b?");
  EXPECT_EQ(message("Zürich \xe2\x82\xac \xf0\x9f\x98\x80"), "Zürich \xe2\x82\xac \xf0\x9f\x98\x80");
  // Neither UTF-8 nor a whole character.
  EXPECT_EQ(message("\xff \xc3( \xed\xa0\x80 \xe2\x82"), "? ?( ??? ??");
  const std::string cut = message(std::string(1900, 'x') + std::string(5000, '"'));
  EXPECT_LT(cut.size(), 2048u);
  EXPECT_TRUE(cut.ends_with("\\\""));
  std::string euros;
  for (int i = 0; i < 2000; ++i) euros += "\xe2\x82\xac";
  EXPECT_EQ(message(euros).size() % 3, 0u);
  set_log_format(LogFormat::kText);
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

// stderr is a pipe whose reader reads when it is told to.
class StoppedReader {
 public:
  StoppedReader() : before_(dup(STDERR_FILENO)) {
    EXPECT_EQ(pipe(ends_.data()), 0);
    EXPECT_GT(fcntl(ends_[1], F_SETPIPE_SZ, 4096), 0);
    dup2(ends_[1], STDERR_FILENO);
    close(ends_[1]);
  }
  ~StoppedReader() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    close(ends_[0]);
  }
  // All that comes within a moment.
  std::string read_all() {
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    std::string all;
    std::array<char, 4096> piece;
    for (int quiet = 0; quiet < 20;) {
      const ssize_t count = ::read(ends_[0], piece.data(), piece.size());
      if (count > 0) all.append(piece.data(), static_cast<size_t>(count));
      quiet = count > 0 ? 0 : quiet + 1;
      if (count <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return all;
  }

 private:
  const int before_;
  std::array<int, 2> ends_{};
};

size_t count_of(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(Log, WaitsForNobodyWhoDoesNotRead) {
  constexpr uint64_t kThreads = 4;
  constexpr uint64_t kEach = 2'000;
  StoppedReader reader;
  const uint64_t before = log_lines_dropped();
  {
    std::vector<std::jthread> threads;
    for (uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([] {
        for (uint64_t n = 0; n < kEach; ++n) log(LogLevel::kInfo, {"line ", std::string(100, 'x')});
      });
    }
  }
  const uint64_t dropped = log_lines_dropped() - before;
  EXPECT_GT(dropped, 0u);
  EXPECT_LT(dropped, kThreads * kEach);
  const std::string text = reader.read_all();
  EXPECT_EQ(count_of(text, "line xxx"), kThreads * kEach - dropped);
  EXPECT_EQ(count_of(text, "The log lost " + std::to_string(dropped) + " lines because nobody read stderr.\n"), 1u);
  log(LogLevel::kInfo, "after");
  EXPECT_TRUE(reader.read_all().ends_with(" info  after\n"));
  EXPECT_EQ(log_lines_dropped() - before, dropped);
}

TEST_F(Log, DeliversWhatWasQueuedWithoutAnotherLine) {
  StoppedReader reader;
  for (int n = 0; n < 100; ++n) log(LogLevel::kInfo, std::string(200, 'q'));
  EXPECT_EQ(count_of(reader.read_all(), "\n"), 100u);
}

TEST_F(Log, FlushesForABoundedTime) {
  const StoppedReader reader;
  for (int n = 0; n < 100; ++n) log(LogLevel::kInfo, std::string(200, 'q'));
  const auto began = std::chrono::steady_clock::now();
  flush_log(100);
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_GE(took, std::chrono::milliseconds(90));
  EXPECT_LT(took, std::chrono::seconds(5));
}

TEST_F(Log, CountsWhatNobodyWillEverRead) {
  flush_log(5'000);  // of what other tests queued
  const uint64_t before = log_lines_dropped();
  const int kept = dup(STDERR_FILENO);
  close(STDERR_FILENO);
  log(LogLevel::kError, "unread");
  dup2(kept, STDERR_FILENO);
  close(kept);
  EXPECT_EQ(log_lines_dropped() - before, 1u);
  StoppedReader reader;  // is told of it
  log(LogLevel::kError, "read");
  EXPECT_EQ(count_of(reader.read_all(), "The log lost 1 line because nobody read stderr.\n"), 1u);
}

}  // namespace
}  // namespace partita
