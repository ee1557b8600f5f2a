// The suite that every storage engine has to pass. An engine joins by one row in contract.cc.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/executor.h"
#include "base/random.h"
#include "storage/engine.h"
#include "work_queue.h"

namespace partita::contract {

// A directory of its own for each test, gone with it.
class TempDirectory {
 public:
  TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  ~TempDirectory();
  std::filesystem::path path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct EngineRow {
  const char* name;
  // Opens an empty store in an empty directory.
  std::unique_ptr<storage::Engine> (*open)(const std::string& directory);
};

const std::vector<EngineRow>& engine_rows();

// The cluster file of a FoundationDB that somebody brought for tests, from PARTITA_TEST_FDB; null: none.
const char* foundationdb_cluster();
// The place of an empty store there. Precondition: there is one.
std::string new_foundationdb_store();

// One engine, empty at the start of each test.
class EngineTest : public testing::TestWithParam<EngineRow> {
 protected:
  EngineTest() : engine_(GetParam().open((directory_.path() / "store").string())) {}
  storage::Engine& engine() { return *engine_; }

 private:
  TempDirectory directory_;
  std::unique_ptr<storage::Engine> engine_;
};

#define PARTITA_EVERY_ENGINE(suite)                                                  \
  INSTANTIATE_TEST_SUITE_P(Every, suite, testing::ValuesIn(contract::engine_rows()), \
                           [](const auto& row) { return std::string(row.param.name); })

// PARTITA_SEED of the environment, or one of its own; always printed, so that a failure can be repeated.
uint64_t seed();
// The number of that environment variable, or `usual`.
uint64_t setting(const char* name, uint64_t usual);

// Blocking calls that fail the test on an error.
// About half of them are settled.
storage::Key key(std::string_view bytes);
std::optional<storage::Record> get(storage::Engine& engine, std::string_view name);
std::optional<std::string> value_of(storage::Engine& engine, std::string_view name);
void put(storage::Engine& engine, std::string_view name, std::string_view value);
void erase(storage::Engine& engine, std::string_view name);
void append(storage::Engine& engine, std::string_view topic, std::string_view entry);
storage::Outcome transact(storage::Engine& engine, std::vector<std::string> names, storage::Decide decide,
                          std::vector<storage::Compare> compare = {}, storage::Version* version = nullptr);
// A transaction that names and compares nothing.
Task<Result<storage::Outcome>> blind(storage::Engine& engine, storage::Decide decide);
storage::Page scan(storage::Engine& engine, storage::Range range, storage::Direction direction,
                   size_t max_records = 1'000'000, size_t max_bytes = size_t{1} << 30);
std::vector<std::string> keys_of(const storage::Page& page);
std::vector<storage::LogEntry> read_log(storage::Engine& engine, std::string_view topic,
                                        storage::Position after = storage::Position{}, size_t max_entries = 1'000'000,
                                        size_t max_bytes = size_t{1} << 30);
// After every position.
inline constexpr storage::Position kLastPosition{
    {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}};
std::vector<std::string> entries_of(const std::vector<storage::LogEntry>& log);
storage::Position log_end(storage::Engine& engine, std::string_view topic);
void trim(storage::Engine& engine, std::string_view topic, storage::Position upto);
void forget(storage::Engine& engine, std::string_view topic);

// A thread that runs what is posted to it, and the executor of everything started there.
class LoopThread final : public Executor {
 public:
  LoopThread();
  ~LoopThread() override;
  void resume(std::coroutine_handle<> handle) override;
  void post(std::function<void()> work) { work_.post(std::move(work)); }
  std::thread::id id() const { return thread_.get_id(); }
  size_t resumed() const { return resumed_; }

 private:
  WorkQueue work_;
  std::atomic<size_t> resumed_ = 0;
  std::thread thread_;
};

}  // namespace partita::contract
