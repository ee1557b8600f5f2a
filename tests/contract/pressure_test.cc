// Large values and many writers at once: what a store keeps in memory stays bounded, and a write that is just becoming
// durable is never overlooked.
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <fstream>
#include <future>

#include "contract.h"
#include "faulty_files.h"

namespace partita::contract {
namespace {

using namespace storage;

// The larger the value, the longer a transaction reads it, and the likelier it does so while the write before it leaves
// memory for the disk.
std::string large_count(int count) {
  std::string value = std::to_string(count) + " ";
  value.resize(size_t{512} << 10, 'x');
  return value;
}

int count_in(const std::string& value) {
  int count = -1;
  std::from_chars(value.data(), value.data() + value.size(), count);
  return count;
}

class Pressure : public EngineTest {};

TEST_P(Pressure, NoIncrementOfALargeHotValueIsLost) {
  constexpr int kThreads = 4;
  constexpr int kEach = 250;
  put(engine(), "counter", large_count(0));
  std::vector<std::thread> running;
  for (int t = 0; t < kThreads; ++t) {
    running.emplace_back([&, t] {
      SeededRandom random(static_cast<uint64_t>(t));
      for (int i = 0; i < kEach; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(2000)));  // out of step with each other
        transact(engine(), {"counter"}, [](std::span<const Record* const> found, Changes& changes) {
          changes.put(key("counter"), large_count(count_in(found[0]->value) + 1));
          return Decision::kCommit;
        });
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(count_in(value_of(engine(), "counter").value_or("")), kThreads * kEach);
}

PARTITA_EVERY_ENGINE(Pressure);

size_t resident_bytes() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kShadow = 2;                // a sanitizer's notes about a value are at least as large as the value
constexpr size_t kKept = size_t{128} << 20;  // and it keeps some of what was freed
#else
constexpr size_t kShadow = 1;
constexpr size_t kKept = 0;
#endif

// While the disk takes its time, callers wait without their values, which would fill the memory.
TEST(SlowDisk, BoundsWhatIsQueued) {
  constexpr int kCalls = 1500;
  constexpr size_t kBytes = 200'000;
  constexpr size_t kMostGrowth = kShadow * kCalls * kBytes / 2 + kKept;
  const TempDirectory directory;
  const auto files = std::make_shared<FaultyFiles>();
  const std::unique_ptr<Engine> engine = open_rocksdb(directory.path() / "store", files);
  ASSERT_NE(engine, nullptr);
  std::atomic<bool> stuck{true};
  files->set_rule([&stuck](FileAct act, std::string_view file) {
    if (act == FileAct::kSync && file.ends_with(".log")) stuck.wait(true);
    return rocksdb::IOStatus::OK();
  });
  std::atomic<int> left{kCalls};
  std::atomic<int> failed{0};
  std::promise<void> started;
  std::promise<void> finished;
  const size_t before = resident_bytes();
  LoopThread loop;
  loop.post([&] {
    for (int i = 0; i < kCalls; ++i) {
      const Decide decide = [i](auto, Changes& changes) {
        changes.put(key("k" + std::to_string(i)), std::string(kBytes, 'x'));
        return Decision::kCommit;
      };
      start(blind(*engine, decide), [&](Result<Outcome> outcome) {
        if (!outcome.ok()) ++failed;
        if (--left == 0) finished.set_value();
      });
    }
    started.set_value();
  });
  started.get_future().wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const size_t after = resident_bytes();
  EXPECT_GT(left, 0);
  stuck = false;
  stuck.notify_all();
  finished.get_future().wait();
  EXPECT_EQ(failed, 0);
  EXPECT_LT(after, before + kMostGrowth);
  EXPECT_EQ(scan(*engine, {"k", "l"}, Direction::kAscending).size(), static_cast<size_t>(kCalls));
}

}  // namespace
}  // namespace partita::contract
