// What a store does when its disk fails, and how often it asks the disk to keep what it was given.
#include <filesystem>
#include <memory>

#include "contract.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "faulty_files.h"

namespace partita::contract {
namespace {

using namespace storage;

class DiskFaults : public testing::Test {
 protected:
  std::unique_ptr<Engine> open(bool sync = true) {
    RocksdbOptions options;
    options.directory = (directory_.path() / "store").string();
    options.sync = sync;
    options.files = files_;
    auto engine = open_rocksdb_engine(options);
    EXPECT_TRUE(engine.ok()) << engine.error().sentence();
    return std::move(engine).value();
  }
  uint64_t log_syncs() const { return files_->count(FileAct::kSync, ".log"); }

  TempDirectory directory_;
  std::shared_ptr<FaultyFiles> files_ = std::make_shared<FaultyFiles>();
};

// A kill leaves what the operating system was given, so only counting shows that nothing is acknowledged before the
// disk has it.
TEST_F(DiskFaults, EveryAcknowledgedWriteWasSynced) {
  const auto engine = open();
  for (int i = 0; i < 20; ++i) {
    const uint64_t appended = files_->count(FileAct::kAppend, ".log");
    const uint64_t synced = log_syncs();
    put(*engine, "k" + std::to_string(i), "v");
    EXPECT_GT(files_->count(FileAct::kAppend, ".log"), appended);
    EXPECT_GT(log_syncs(), synced) << "write " << i << " was acknowledged before the disk had it";
  }
  const uint64_t synced = log_syncs();
  append(*engine, "t", "e");
  EXPECT_GT(log_syncs(), synced);
  EXPECT_GE(files_->count(FileAct::kSyncDirectory, ""), 1u);
}

TEST_F(DiskFaults, WithoutSyncNothingIsSynced) {
  const auto engine = open(false);
  const uint64_t synced = log_syncs();
  put(*engine, "a", "1");
  EXPECT_EQ(log_syncs(), synced);
}

}  // namespace
}  // namespace partita::contract
