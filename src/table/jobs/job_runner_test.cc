#include "table/jobs/job_runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/log.h"
#include "table/catalog/tokens.h"
#include "table/control/ttl.h"
#include "table/open/table_testing.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

using JobRunnerTest = TableTest;

// Tokens are looked for before items that expire, and all kinds look before stored jobs are claimed.
TEST_F(JobRunnerTest, AKindThatCannotLookForWorkStopsNoOther) {
  create(plain_table());
  ASSERT_TRUE(wait_for(update_ttl(db(), {"T", true, "expires"})).ok());
  put("T", item({{"pk", s("p")}, {"sk", n(1)}, {"expires", n(clock_.now_ms() / 1000)}}));
  wait_for_jobs();
  close();
  set_log_level(LogLevel::kWarn);
  engine_.damaged_at = system_rows(SystemRow::kToken).begin;
  testing::internal::CaptureStderr();
  open();
  clock_.advance_ms(1);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!rows("T").empty() && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
  EXPECT_TRUE(rows("T").empty());
  close();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("looking for work of the kind sweep_tokens"), std::string::npos) << said;
  set_log_level(LogLevel::kError);
  engine_.damaged_at.clear();
  open();
}

// What comes round every minute is no news.
TEST_F(JobRunnerTest, AJobThatFoundNothingToDoIsNotLogged) {
  create(plain_table());
  set_log_level(LogLevel::kInfo);
  wait_for_jobs();
  store(token_key("young"), token_row(clock_.now_ms(), "d"));
  close();
  testing::internal::CaptureStderr();
  open();
  wait_for_jobs();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  store(token_key("old"), token_row(clock_.now_ms() - kTokenLifetimeMs, "d"));
  close();
  testing::internal::CaptureStderr();
  open();
  wait_for_jobs();
  close();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.ends_with(" info  sweeping old tokens: done, 1 rows\n")) << said;
  set_log_level(LogLevel::kError);
  open();
}

// A job that waits while `held` says so, and says how many run at once.
struct Held {
  std::atomic<bool> held{true};
  std::atomic<int> begun{0};
  std::atomic<int> running{0};
  std::atomic<int> most{0};
};

class HeldJob final : public JobType {
 public:
  explicit HeldJob(Held& held) : held_(held) {}
  std::string describe(const Job&) const override { return "holding"; }
  Task<Result<StepEnd>> step(JobRun& run) override {
    ++held_.begun;
    held_.most = std::max(held_.most.load(), ++held_.running);
    while (held_.held && !run.stopping()) co_await run.context().background().sleep(1);
    --held_.running;
    if (run.stopping()) co_return StepEnd::kStopped;
    co_return co_await run.finish();
  }

 private:
  Held& held_;
};

class LeftOverLeases : public JobRunnerTest {
 protected:
  LeftOverLeases() {
    close();
    options_.exclusive = true;
    options_.lease_ms = 3'600'000;
    options_.make_job = [this](JobKind kind) -> std::unique_ptr<JobType> {
      return kind == JobKind::kCarry ? std::make_unique<HeldJob>(held_) : nullptr;
    };
    open();
    job_.kind = JobKind::kCarry;
    job_.table_id = 7;
    job_.table = "T";
  }
  ~LeftOverLeases() override { close(); }
  void put_claimed(uint64_t claim) {
    job_.claim = claim;
    store(job_key(job_), job_row(job_));
  }
  static bool becomes(const std::atomic<int>& number, int value) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (number < value && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
    return number == value;
  }

  Held held_;
  Job job_;
};

// Of a server that was killed. No other one can have the store.
TEST_F(LeftOverLeases, AreTakenOverAtOnceIfNoOtherProcessUsesTheStore) {
  held_.held = false;
  put_claimed(77);
  EXPECT_TRUE(becomes(held_.begun, 1));
}

TEST_F(LeftOverLeases, RunOutIfOthersUseTheStore) {
  close();
  options_.exclusive = false;
  open();
  put_claimed(77);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(held_.begun, 0);
}

TEST_F(LeftOverLeases, OfThisProcessAreLeftAlone) {
  put_claimed(0);
  ASSERT_TRUE(becomes(held_.begun, 1));
  {
    const auto other = Database::open(engine_, clock_, random_, options_).value();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(held_.begun, 1);
    EXPECT_EQ(held_.most, 1);
  }
  // What the other one had is free once it has stopped.
  close();
  open();
  EXPECT_TRUE(becomes(held_.begun, 2));
}

}  // namespace
}  // namespace partita::table
