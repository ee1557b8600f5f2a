// A process that writes files is killed at any moment, again and again.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "base/random.h"
#include "base/whole_file.h"
#include "sinks/change_files.h"
#include "sinks/changes_testing.h"
#include "sinks/zstd_text.h"

namespace partita::sinks {
namespace {

namespace fs = std::filesystem;

constexpr size_t kChanges = 2'000;
constexpr size_t kBatch = 23;
constexpr size_t kMostIdleRounds = 40;  // a busy machine has some

size_t stored_progress(const fs::path& file) {
  size_t delivered = 0;
  std::ifstream(file) >> delivered;
  return delivered;
}

// Sends what is not stored as delivered, as a server does that has just started.
void deliver(const fs::path& directory, const fs::path& progress, const SomeChanges& changes) {
  ManualClock clock(1'000);
  ChangeFiles files(changes_settings(""), {}, make_directory_store("file://" + directory.string()).value(), clock);
  std::string state;
  bool prepared = files.prepare().ok();
  for (size_t delivered = stored_progress(progress); prepared && delivered < changes.size();) {
    const auto rest = changes.from(delivered);
    const auto sent = files.send(0, rest.first(std::min(rest.size(), kBatch)), state);
    if (!sent.ok() || !sent->trouble.empty()) return;
    clock.advance_ms(sent->wait_ms);
    if (sent->done == 0) continue;
    delivered += sent->done;
    const fs::path next = progress.string() + ".next";
    std::ofstream(next) << delivered;
    fs::rename(next, progress);
  }
}

TEST(ChangeFilesCrash, LosesAndDoublesNothing) {
  const fs::path directory = fs::path(testing::TempDir()) / ("partita-change-files-" + std::to_string(::getpid()));
  const fs::path progress = directory.string() + ".progress";
  fs::create_directory(directory);
  SomeChanges changes;
  for (size_t i = 0; i < kChanges; ++i) changes.put("k" + std::to_string(i % 7), std::to_string(i));
  SeededRandom random(7);
  size_t kills = 0;
  size_t delivered = 0;
  for (size_t idle = 0; delivered < kChanges && idle < kMostIdleRounds; ++idle) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      deliver(directory, progress, changes);
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(random.below(12'000 * (1 + idle))));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    kills += WIFSIGNALED(status) ? 1 : 0;
    const size_t before = std::exchange(delivered, stored_progress(progress));
    if (delivered > before) idle = 0;
  }
  EXPECT_EQ(delivered, kChanges) << "it does not get on";
  EXPECT_GE(kills, 5U);
  std::map<std::string, std::string> files;  // of one slice, so in order of their names
  for (const auto& each : fs::directory_iterator(directory)) {
    const std::string name = each.path().filename();
    if (name.starts_with("changes-")) files[name] = zstd_text(read_whole_file(each.path()).value(), 1U << 30).value();
  }
  std::string all;
  for (const auto& [name, text] : files) {
    all += text;
    EXPECT_TRUE(fs::exists(directory / "manifest" / (name.substr(0, name.find('.')) + ".json"))) << name;
  }
  size_t at = 0;
  for (size_t i = 0; i < kChanges; ++i) {
    const std::string value = R"("v":{"S":")" + std::to_string(i) + "\"}";
    at = all.find(value, at);
    ASSERT_NE(at, std::string::npos) << i << " is missing, or not in order";
  }
  EXPECT_EQ(static_cast<size_t>(std::ranges::count(all, '\n')), kChanges);
  fs::remove_all(directory);
  fs::remove(progress);
}

}  // namespace
}  // namespace partita::sinks
