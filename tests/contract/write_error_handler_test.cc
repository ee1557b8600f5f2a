#include "engines/rocksdb/write_error_handler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace partita::contract {
namespace {

using rocksdb::Status;

class WriteErrorHandlerTest : public testing::Test {
 protected:
  bool recovers_soon() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (handler_.failed()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  std::atomic<int> looks_{0};
  std::function<Status(int look)> recover_ = [](int) { return Status::OK(); };
  rocks::WriteErrorHandler handler_{[this] { return recover_(++looks_); }};
};

TEST_F(WriteErrorHandlerTest, RecoversOnce) {
  recover_ = [](int look) { return look < 3 ? Status::IOError("still") : Status::OK(); };
  handler_.fail(Status::IOError("first"));
  EXPECT_TRUE(handler_.failed());
  EXPECT_TRUE(recovers_soon());
  EXPECT_EQ(looks_, 3);
}

// RocksDB may have met it behind what the recovery looked at.
TEST_F(WriteErrorHandlerTest, AFaultThatComesWhileItRecoversIsLookedAt) {
  recover_ = [this](int look) {
    if (look == 1) handler_.fail(Status::IOError("second"));
    return Status::OK();
  };
  handler_.fail(Status::IOError("first"));
  EXPECT_TRUE(recovers_soon());
  EXPECT_EQ(looks_, 2);
}

TEST_F(WriteErrorHandlerTest, FaultsThatKeepComingKeepItFailed) {
  std::atomic<bool> comes{true};
  recover_ = [this, &comes](int) {
    if (comes) handler_.fail(Status::IOError("again"));
    return Status::OK();
  };
  handler_.fail(Status::IOError("first"));
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_TRUE(handler_.failed());
  EXPECT_GT(looks_, 1);
  EXPECT_LT(looks_, 10);
  comes = false;
  EXPECT_TRUE(recovers_soon());
}

}  // namespace
}  // namespace partita::contract
