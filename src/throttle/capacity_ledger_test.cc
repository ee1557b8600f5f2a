// Two servers over one store, with real time.
#include "throttle/capacity_ledger.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "engines/memory/memory_engine.h"
#include "table/control/tables.h"
#include "table/open/database.h"
#include "throttle/ledger_rows.h"

namespace partita::throttle {
namespace {

struct Sharer {
  explicit Sharer(storage::Engine& engine, const std::string& of_space = "")
      : space(of_space),
        database(table::Database::open(engine, system_clock(), system_random()).value()),
        ledger(std::make_unique<CapacityLedger>(*database, limits, space)) {}

  uint32_t divisor() const { return limits->share_of(space)->divisor(); }
  const std::string space;
  std::unique_ptr<table::Database> database;
  std::shared_ptr<CapacityLimits> limits = std::make_shared<CapacityLimits>(CapacityMode::kEnforce);
  std::unique_ptr<CapacityLedger> ledger;
};

template <class True>
bool comes_true(True true_now) {
  for (int i = 0; i < 3'000; ++i) {
    if (true_now()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(CapacityLedgerTest, ServersShareUntilOneLeaves) {
  const auto engine = open_memory_engine();
  Sharer one(*engine);
  EXPECT_EQ(one.divisor(), 1U) << "at once, since it is alone";
  {
    const Sharer other(*engine);
    EXPECT_EQ(other.divisor(), 0U);
    EXPECT_TRUE(comes_true([&] { return one.divisor() == 2 && other.divisor() == 2; }));
    EXPECT_EQ(wait_for(read_ledger(*engine)).value().rows.members.size(), 2U);
  }
  EXPECT_EQ(wait_for(read_ledger(*engine)).value().rows.members.size(), 1U) << "it has left";
  EXPECT_TRUE(comes_true([&] { return one.divisor() == 1; }));
  EXPECT_TRUE(one.limits->share_of("")->is_valid(system_clock().monotonic_ns()));
  one.ledger.reset();
  EXPECT_EQ(one.divisor(), 0U);
  EXPECT_TRUE(wait_for(read_ledger(*engine)).value().rows.members.empty());
}

TEST(CapacityLedgerTest, ANamespaceWithoutTablesGetsNoRow) {
  const auto engine = open_memory_engine();
  const Sharer one(*engine, "a");
  EXPECT_EQ(one.divisor(), 0U);
  EXPECT_TRUE(wait_for(read_ledger(*engine)).value().rows.members.empty());
  api::CreateTableRequest request;
  request.name = "Votes";
  request.definitions = {{"p", model::Type::kS}};
  request.keys = {{"p", api::KeyRole::kHash}};
  request.billing_mode = api::BillingMode::kPayPerRequest;
  EXPECT_TRUE(wait_for(table::create_table(*one.database, request)).ok());
  EXPECT_TRUE(comes_true([&] { return one.divisor() == 1; }));
}

}  // namespace
}  // namespace partita::throttle
