#include "cli/status.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "cli/local_calls.h"
#include "engines/stores.h"
#include "namespaces/namespaces.h"
#include "namespaces/tenant.h"
#include "wire/json_reader.h"

namespace partita::cli {
namespace {

class Door final : public ops::Source {
 public:
  std::string address() const override { return {}; }
  bool encrypted() const override { return false; }
  bool administrates() const override { return true; }
};

TEST(Status, IsToldWhileASnapshotIsUnderWay) {
  const auto engine = std::move(open_store("memory:")).value();
  const namespaces::Tenant::Ground ground{*engine, system_clock(), system_random(), {}, nullptr, true};
  const namespaces::Tenant::Serve serve = [](table::Database& database) {
    return std::make_unique<ops::Service>(database);
  };
  const auto tenant = std::move(namespaces::Tenant::open(ground, {}, serve)).value();
  namespaces::Namespaces namespaces(ground, *tenant, nullptr, namespaces::NamespacesBy::kNothing, 1);
  observe::Pages pages({*engine, "memory", system_random(), tenant->service(), namespaces, "1", std::nullopt});
  admin::Admin admin;
  answer_status(admin, pages, {.version = "1", .revision = "r", .store = "memory", .urls = {}});
  const Door door;
  const ops::Call call{
      .target = "Partita_20261123.DescribeServer", .content_type = {}, .body = "{}", .caller = {}, .source = &door};
  const admin::Admin::Answer* const answer = admin.find(call);
  ASSERT_NE(answer, nullptr);
  for (const bool shut : {true, false}) {
    DrainLock& lock = tenant->service().drain_lock();
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

}  // namespace
}  // namespace partita::cli
