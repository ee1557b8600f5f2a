#include "table/jobs/job_runner.h"

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

}  // namespace
}  // namespace partita::table
