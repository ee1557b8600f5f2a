#include "observe/server_status.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "engines/stores.h"
#include "namespaces/database_host.h"
#include "table/rows/job_row.h"
#include "wire/json_reader.h"

namespace partita::observe {
namespace {

class Door final : public ops::Source {
 public:
  std::string address() const override { return {}; }
  bool encrypted() const override { return false; }
  bool administrates() const override { return true; }
};

TEST(Status, IsToldWhileASnapshotIsUnderWay) {
  const auto engine = std::move(open_store("memory:")).value();
  const namespaces::DatabaseHost::Environment environment{*engine, system_clock(), system_random(), {}, nullptr, true};
  const namespaces::DatabaseHost::MakeService serve = [](table::Database& database) {
    return std::make_unique<ops::Service>(database);
  };
  const auto host = std::move(namespaces::DatabaseHost::open(environment, {}, serve)).value();
  Pages pages({*engine, "memory", system_random(), host->service(), "1", std::nullopt});
  admin::Admin admin;
  answer_status(admin, pages, {.version = "1", .revision = "r", .store = "memory", .urls = {}});
  const Door door;
  const ops::Call call{
      .target = "Partita_20261123.DescribeServer", .content_type = {}, .body = "{}", .caller = {}, .source = &door};
  const admin::Admin::Answer* const answer = admin.find(call);
  ASSERT_NE(answer, nullptr);
  for (const bool shut : {true, false}) {
    DrainLock& lock = host->service().drain_lock();
    if (shut) lock.close();
    std::promise<std::string> told;
    auto reply = told.get_future();
    start((*answer)(call), [&](const ops::Reply& said) { told.set_value(said.body); });
    if (shut) {
      EXPECT_EQ(reply.wait_for(std::chrono::seconds(0)), std::future_status::ready);
      lock.open();
    }
    const auto document = wire::JsonDocument::parse(reply.get());
    ASSERT_TRUE(document.ok());
    EXPECT_EQ(text_of(document->root().get(admin::kUnderWay)),
              shut ? "A snapshot is being made or rolled back to; requests wait for its end." : "");
    EXPECT_EQ(text_of(document->root().get(admin::kTrouble)), "");
  }
}

TEST(Status, ListsTheJobsOfTheStore) {
  const auto engine = std::move(open_store("memory:")).value();
  // Of a server that has just begun it: this one takes it over only after a lease.
  table::Job filling;
  filling.kind = table::JobKind::kFillIndex;
  filling.table_id = 7;
  filling.index_id = 3;
  filling.table = "Music";
  filling.claim = 1;
  filling.done = 120;
  ASSERT_TRUE(wait_for(table::put_job(*engine, filling, {})).ok());
  const namespaces::DatabaseHost::Environment environment{*engine, system_clock(), system_random(), {}, nullptr, true};
  const namespaces::DatabaseHost::MakeService serve = [](table::Database& database) {
    return std::make_unique<ops::Service>(database);
  };
  const auto host = std::move(namespaces::DatabaseHost::open(environment, {}, serve)).value();
  Pages pages({*engine, "memory", system_random(), host->service(), "1", std::nullopt});
  std::vector<std::string> lines = pages.jobs_now();
  for (int tries = 0; lines.empty() && tries < 500; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    lines = pages.jobs_now();
  }
  EXPECT_EQ(lines, std::vector<std::string>{"filling index 3 of table Music: 120 rows"});
}

}  // namespace
}  // namespace partita::observe
