// Two servers over one store, with real time.
#include "throttle/capacity_ledger.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "engines/memory/memory_engine.h"
#include "table/control/tables.h"
#include "table/open/database.h"
#include "table/rows/system_rows.h"
#include "throttle/ledger_rows.h"

namespace partita::throttle {
namespace {

struct Sharer {
  explicit Sharer(storage::Engine& engine, const std::string& of_space = "", CapacityMode mode = CapacityMode::kEnforce)
      : space(of_space),
        limits(std::make_shared<CapacityLimits>(mode)),
        database(table::Database::open(engine, system_clock(), system_random()).value()),
        ledger(std::make_unique<CapacityLedger>(*database, limits, space)) {}

  uint32_t divisor() const { return share->divisor(); }
  void create_table() {
    api::CreateTableRequest request;
    request.name = "Votes";
    request.definitions = {{"p", model::Type::kS}};
    request.keys = {{"p", api::KeyRole::kHash}};
    request.billing_mode = api::BillingMode::kPayPerRequest;
    EXPECT_TRUE(wait_for(table::create_table(*database, request)).ok());
  }
  TableCapacity& capacity() {
    return limits->of(space, *database->catalog().all().at(0), nullptr, system_clock().monotonic_ns());
  }
  bool serves() {
    int64_t wait_ns = 0;
    return capacity().bucket(true).tokens.take(system_clock().monotonic_ns(), 2, wait_ns);
  }

  const std::string space;
  const std::shared_ptr<CapacityLimits> limits;
  std::unique_ptr<table::Database> database;
  const std::shared_ptr<CapacityShare> share = limits->share_of(space);
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
  EXPECT_TRUE(one.share->is_valid(system_clock().monotonic_ns()));
  one.ledger.reset();
  EXPECT_EQ(one.divisor(), 0U);
  EXPECT_TRUE(wait_for(read_ledger(*engine)).value().rows.members.empty());
}

TEST(CapacityLedgerTest, ANamespaceWithoutTablesGetsNoRow) {
  const auto engine = open_memory_engine();
  Sharer one(*engine, "a");
  EXPECT_EQ(one.divisor(), 0U);
  EXPECT_TRUE(wait_for(read_ledger(*engine)).value().rows.members.empty());
  one.create_table();
  EXPECT_TRUE(comes_true([&] { return one.divisor() == 1; }));
}

// Where capacity is enforced, a server that is ready does not refuse for lack of a share.
TEST(CapacityLedgerTest, AServerWaitsForItsFirstShareWhereTablesEnforce) {
  const auto engine = open_memory_engine();
  Sharer one(*engine);
  one.create_table();
  {
    const Sharer records(*engine, "", CapacityMode::kRecord);
    EXPECT_EQ(records.divisor(), 0U) << "it refuses nothing";
  }
  EXPECT_TRUE(comes_true([&] { return one.divisor() == 1; }));
  Sharer other(*engine);
  EXPECT_EQ(other.divisor(), 2U);
  EXPECT_TRUE(comes_true([&] { return other.serves(); })) << "its bucket begins empty";
  EXPECT_TRUE(one.serves());
}

TEST(CapacityLedgerTest, ABucketOpensWithTheShare) {
  const auto engine = open_memory_engine();
  Sharer one(*engine);
  one.create_table();
  one.capacity();
  Sharer other(*engine, "", CapacityMode::kRecord);
  EXPECT_FALSE(other.serves());
  EXPECT_TRUE(comes_true([&] { return other.divisor() == 2; }));
  EXPECT_TRUE(comes_true([&] { return !other.capacity().bucket(true).closed(); })) << "no request has reviewed it";
}

TEST(CapacityLedgerTest, ANamespaceThatIsOpenedAgainHasItsShareAgain) {
  const auto engine = open_memory_engine();
  std::optional<Sharer> one;
  one.emplace(*engine, "a");
  one->create_table();
  EXPECT_TRUE(comes_true([&] { return one->serves(); }));
  one.reset();
  EXPECT_TRUE(wait_for(read_ledger(*engine)).value().rows.members.empty());
  one.emplace(*engine, "a");
  EXPECT_EQ(one->divisor(), 1U);
  EXPECT_TRUE(one->serves());
}

TEST(CapacityLedgerTest, DamagedRowsAreReplaced) {
  const auto engine = open_memory_engine();
  Sharer one(*engine);
  Sharer other(*engine);
  EXPECT_TRUE(comes_true([&] { return one.divisor() == 2 && other.divisor() == 2; }));
  std::vector<storage::Key> none;
  const storage::Decide damage = [](std::span<const storage::Record* const>, storage::Changes& changes) {
    changes.put(table::system_key(table::SystemRow::kLedger), "damaged");
    return storage::Decision::kCommit;
  };
  EXPECT_TRUE(wait_for(engine->transact(std::move(none), {}, damage)).ok());
  EXPECT_TRUE(comes_true([&] { return one.divisor() == 0 && other.divisor() == 0; }));
  EXPECT_TRUE(comes_true([&] { return one.divisor() == 2 && other.divisor() == 2; }));
  EXPECT_EQ(wait_for(read_ledger(*engine)).value().rows.members.size(), 2U);
}

}  // namespace
}  // namespace partita::throttle
