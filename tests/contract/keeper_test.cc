#include "engines/rocksdb/keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace partita::contract {
namespace {

using rocksdb::Status;

class KeeperTest : public testing::Test {
 protected:
  bool recovers_soon() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (keeper_.failed()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  std::atomic<int> looks_{0};
  std::function<Status(int look)> recover_ = [](int) { return Status::OK(); };
  rocks::Keeper keeper_{[this] { return recover_(++looks_); }};
};

TEST_F(KeeperTest, RecoversOnce) {
  recover_ = [](int look) { return look < 3 ? Status::IOError("still") : Status::OK(); };
  keeper_.fail(Status::IOError("first"));
  EXPECT_TRUE(keeper_.failed());
  EXPECT_TRUE(recovers_soon());
  EXPECT_EQ(looks_, 3);
}

// RocksDB may have met it behind what the recovery looked at.
TEST_F(KeeperTest, AFaultThatComesWhileItRecoversIsLookedAt) {
  recover_ = [this](int look) {
    if (look == 1) keeper_.fail(Status::IOError("second"));
    return Status::OK();
  };
  keeper_.fail(Status::IOError("first"));
  EXPECT_TRUE(recovers_soon());
  EXPECT_EQ(looks_, 2);
}

TEST_F(KeeperTest, FaultsThatKeepComingKeepItFailed) {
  std::atomic<bool> comes{true};
  recover_ = [this, &comes](int) {
    if (comes) keeper_.fail(Status::IOError("again"));
    return Status::OK();
  };
  keeper_.fail(Status::IOError("first"));
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_TRUE(keeper_.failed());
  EXPECT_GT(looks_, 1);
  EXPECT_LT(looks_, 10);
  comes = false;
  EXPECT_TRUE(recovers_soon());
}

}  // namespace
}  // namespace partita::contract
