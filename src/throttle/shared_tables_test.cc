// Servers that share the capacity of whole tables, with a manual clock and a store that always answers at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "throttle/capacity_limits.h"
#include "throttle/ledger.h"

namespace partita::throttle {
namespace {

using model::HalfUnits;
using table::TableInfo;

constexpr int64_t kSecond = 1'000'000'000;
constexpr BucketId kWrites{7, model::kBaseIndex, true};

TableInfo table_of(uint32_t id, int64_t units) {
  TableInfo table;
  table.name = "T" + std::to_string(id);
  table.id = id;
  table.throughput.read_units = table.throughput.write_units = units;
  if (units == 0) table.billing_mode = api::BillingMode::kPayPerRequest;
  return table;
}

struct SharedRows {
  LedgerRows rows;
  size_t pools_written = 0;
  bool is_away = false;
};

class SharingServer final : public LedgerHost {
 public:
  SharingServer(ServerId id, SharedRows& store, const int64_t& now_ns)
      : store_(store), now_ns_(now_ns), participant(id, *this) {
    share_->renew(INT64_MIN);
    share_->divide(0, now_ns_);
  }

  void look() {
    if (store_.is_away) return;
    const auto writes = participant.begin(store_.rows, now_ns_, now_ns_);
    if (!writes) return;
    apply(*writes);
    participant.end(LedgerOutcome::kCommitted, now_ns_);
  }
  void leave() {
    if (const auto writes = participant.leave(store_.rows)) apply(*writes);
  }
  TableInfo& add_table(TableInfo table) { return *(tables[table.id] = std::make_unique<TableInfo>(std::move(table))); }
  TableCapacity& capacity(uint32_t id = kWrites.table) { return limits_.of("", *tables.at(id), nullptr, now_ns_); }
  HalfUnits level(uint32_t id = kWrites.table) { return capacity(id).state(true, now_ns_).level; }
  // Whole units.
  int64_t write(int64_t requests, uint32_t id = kWrites.table) {
    int64_t admitted = 0;
    for (int64_t i = 0; i < requests; ++i) {
      admitted += capacity(id).take(true, next_position(), 2, now_ns_).wait_ns == 0 ? 1 : 0;
    }
    return admitted;
  }
  // Not by requests, which partitions limit.
  void spend(int64_t units) { capacity().add(true, -2 * units, now_ns_); }
  std::string next_position() { return before_hash(++positions_ * 0x9e37'79b9'7f4a'7c15) + "x"; }

  void divide(uint32_t divisor) override {
    share_->divide(divisor, now_ns_);
    for_each([&](TableCapacity& one) { one.update_share(now_ns_); });
  }
  void fill() override {
    share_->fill();
    for_each([&](TableCapacity& one) { one.fill(now_ns_); });
  }
  void renew(int64_t until_ns) override { share_->renew(until_ns); }
  std::vector<BucketId> buckets() override {
    std::vector<BucketId> ids;
    for (const auto& [id, table] : tables) {
      if (table->limits->get() != nullptr) ids.push_back({id, model::kBaseIndex, true});
    }
    return ids;
  }
  std::optional<BucketState> state(const BucketId& id) override {
    return tables.contains(id.table) ? std::optional(capacity(id.table).state(id.write, now_ns_)) : std::nullopt;
  }
  void add(const BucketId& id, HalfUnits units) override { capacity(id.table).add(id.write, units, now_ns_); }
  void raise(const BucketId& id, int64_t per_second) override {
    capacity(id.table).raise(id.write, per_second, now_ns_);
  }
  void add_load(const BucketId& id, HalfUnits units) override { capacity(id.table).add_load(id.write, units); }

 private:
  void apply(const LedgerWrites& writes) {
    store_.rows.members = writes.members;
    if (writes.members.empty()) store_.rows.pools.clear();
    store_.pools_written += writes.pools.size();
    for (const auto& [id, pool] : writes.pools) {
      store_.rows.pools.erase(id);
      if (pool) store_.rows.pools.emplace(id, *pool);
    }
  }
  template <class Visit>
  void for_each(Visit visit) {
    for (const auto& [id, table] : tables) {
      if (auto* const kept = static_cast<TableCapacity*>(table->limits->get())) visit(*kept);
    }
  }

  SharedRows& store_;
  const int64_t& now_ns_;
  CapacityLimits limits_{CapacityMode::kEnforce};
  const std::shared_ptr<CapacityShare> share_ = limits_.share_of("");
  uint64_t positions_ = 0;

 public:
  std::map<uint32_t, std::unique_ptr<TableInfo>> tables;
  LedgerParticipant participant;
};

class SharedTablesTest : public ::testing::Test {
 protected:
  void start(size_t count, const std::vector<TableInfo>& tables) {
    for (size_t i = 0; i < count; ++i) start_one(tables);
    pass(3 * static_cast<int64_t>(count), [] {});
    for (const auto& server : servers_) EXPECT_EQ(server->participant.divisor(), count);
  }
  // Descriptions of one table on two servers do not share its limits.
  SharingServer& start_one(const std::vector<TableInfo>& tables) {
    servers_.push_back(std::make_unique<SharingServer>(servers_.size() + 1, store_, now_ns_));
    for (const TableInfo& table : tables) {
      TableInfo own = table;
      own.limits = std::make_shared<table::LimitsKept>();
      servers_.back()->add_table(std::move(own));
    }
    return *servers_.back();
  }
  // `each`: ten times a second.
  template <class Each>
  void pass(int64_t seconds, Each each) {
    for (int64_t i = 0; i < 10 * seconds; ++i) {
      now_ns_ += kSecond / 10;
      each();
      if (i % 5 != 4) continue;
      for (const auto& server : servers_) server->look();
    }
  }
  SharingServer& server(size_t i) { return *servers_[i]; }
  // Of the pool and all servers, in whole units. Precondition: the pool has a row.
  int64_t all_units(uint32_t id = kWrites.table) {
    HalfUnits sum = store_.rows.pools.at({id, model::kBaseIndex, true}).level;
    for (const auto& one : servers_) sum += one->level(id);
    return sum / 2;
  }
  bool has_row() const { return store_.rows.pools.contains(kWrites); }
  // What another server has changed is seen here.
  void update(SharingServer& server, int64_t units) {
    TableInfo& table = *server.tables.at(kWrites.table);
    ++table.revision;
    table.throughput.write_units = units;
  }
  // A tenth of a second's writes, over all partitions.
  void load(SharingServer& server, int64_t per_second) {
    const int64_t parts = std::clamp<int64_t>(per_second / 10, 1, 80);
    for (int64_t i = 0; i < parts; ++i) {
      const std::string position = server.next_position();
      const auto taken = server.capacity().take(true, position, 0, now_ns_);
      refused_ += taken.wait_ns > 0 ? 1 : 0;
      offered_ += 1;
      if (taken.wait_ns != 0) continue;
      server.capacity().settle(true, *taken.partition, position, 2 * per_second / (10 * parts), now_ns_);
    }
  }
  double refused() const { return static_cast<double>(refused_) / static_cast<double>(offered_); }
  int64_t rate(size_t i) { return server(i).capacity().bucket(true).tokens.per_second(); }

  SharedRows store_;
  int64_t now_ns_ = 5'000 * kSecond;
  std::vector<std::unique_ptr<SharingServer>> servers_;
  int64_t offered_ = 0;
  int64_t refused_ = 0;
};

TEST_F(SharedTablesTest, RaisedUnitsAreNoBurst) {
  start(2, {table_of(7, 10)});
  for (const auto& one : servers_) one->capacity();
  pass(400, [] {});
  ASSERT_FALSE(has_row());
  update(server(0), 1'000);
  server(0).look();
  ASSERT_TRUE(has_row()) << "the pool was full, and is not full any more";
  EXPECT_LE(all_units(), 10 * 300);
  server(1).look();
  ASSERT_TRUE(has_row()) << "it is full by the description that is outdated";
  EXPECT_LE(all_units(), 10 * 300);
  update(server(1), 1'000);
  server(1).look();
  EXPECT_LE(all_units(), 10 * 300);
  EXPECT_GE(all_units(), 10 * 290);
  pass(400, [] {});
  EXPECT_FALSE(has_row()) << "full again";
  EXPECT_EQ((server(0).level() + server(1).level()) / 2, 1'000 * 150);
}

TEST_F(SharedTablesTest, LoweredUnitsLeaveNoMoreThanTheyAllow) {
  start(2, {table_of(7, 1'000)});
  for (const auto& one : servers_) one->capacity();
  pass(10, [] {});
  server(0).spend(80'000);
  pass(10, [&] { server(0).write(200); });
  ASSERT_TRUE(has_row());
  update(server(0), 10);
  server(0).look();
  server(1).look();
  update(server(1), 10);
  server(1).look();
  server(0).look();
  pass(1, [] {});
  if (has_row()) {
    EXPECT_LE(all_units(), 10 * 300);
  }
  EXPECT_LE((server(0).level() + server(1).level()) / 2, 10 * 150);
  pass(400, [] {});
  EXPECT_FALSE(has_row());
}

TEST_F(SharedTablesTest, ATableOnDemandGrowsWithTheLoadOfAllServers) {
  for (const bool even : {false, true}) {
    servers_.clear();
    store_ = {};
    offered_ = refused_ = 0;
    start(4, {table_of(7, 0)});
    pass(2'400, [&] {
      for (size_t i = 0; i < servers_.size(); ++i) {
        if (even || i == 0) load(server(i), even ? 800 : 3'200);
      }
    });
    for (size_t i = 0; i < servers_.size(); ++i) EXPECT_NEAR(static_cast<double>(rate(i)), 6'400, 100) << even << i;
    EXPECT_LE(refused(), 0.001) << even;
    pass(100, [] {});
    EXPECT_TRUE(has_row()) << "a server that joins has to know";
    SharingServer& joined = start_one({table_of(7, 0)});
    pass(4, [] {});
    EXPECT_EQ(joined.participant.divisor(), 5U);
    EXPECT_EQ(joined.capacity().bucket(true).tokens.per_second(), rate(0));
  }
}

TEST_F(SharedTablesTest, ATableOnDemandReachesTheQuotaThroughOneOfFourServers) {
  start(4, {table_of(7, 0)});
  pass(6'500, [&] { load(server(0), std::min<int64_t>(rate(0) * 9 / 10, 30'000)); });
  EXPECT_EQ(rate(0), 40'000);
  EXPECT_EQ(rate(3), 40'000) << "it is idle";
  offered_ = refused_ = 0;
  pass(100, [&] { load(server(0), 36'000); });
  EXPECT_LE(refused(), 0.02);
}

TEST_F(SharedTablesTest, ASmallLoadOnDemandNeedsNoRow) {
  start(2, {table_of(7, 0)});
  pass(20, [&] {
    load(server(0), 300);
    ASSERT_EQ(store_.pools_written, 0U);
  });
  pass(5, [&] { load(server(0), 1'500); });
  EXPECT_TRUE(has_row());
  pass(70, [&] {
    for (const auto& one : servers_) load(*one, 10);
  });
  EXPECT_FALSE(has_row());
}

TEST_F(SharedTablesTest, SeveralTablesDoNotMixTheirUnits) {
  start(2, {table_of(7, 10), table_of(8, 100)});
  for (const auto& one : servers_) {
    one->capacity(7);
    one->capacity(8);
  }
  pass(200, [] {});
  int64_t admitted = 0;
  pass(60, [&] { admitted += server(0).write(90, 8); });
  EXPECT_LE(admitted, 100 * 300 + 100 * 60);
  EXPECT_GE(admitted, 100 * 300 + 100 * 50);
  EXPECT_FALSE(has_row()) << "of the other table";
  EXPECT_EQ((server(0).level(7) + server(1).level(7)) / 2, 10 * 150);
}

TEST_F(SharedTablesTest, APoolOfADroppedTableIsErased) {
  start(2, {table_of(7, 10), table_of(8, 10)});
  server(0).spend(1'500);
  server(1).spend(1'500);
  pass(2, [&] { server(0).write(5); });
  ASSERT_TRUE(has_row());
  for (const auto& one : servers_) one->tables.erase(7);
  pass(15, [] {});
  EXPECT_TRUE(has_row()) << "the table may only be unknown here yet";
  pass(10, [] {});
  EXPECT_FALSE(has_row());
  EXPECT_EQ(server(0).write(5, 8), 5) << "the other table is served";
}

TEST_F(SharedTablesTest, AServerThatLeavesReturnsItsUnits) {
  start(2, {table_of(7, 100)});
  for (const auto& one : servers_) one->capacity();
  pass(200, [] {});
  server(1).spend(15'000);
  pass(3, [&] { server(1).write(50); });
  ASSERT_TRUE(has_row());
  const int64_t before = all_units();
  const int64_t others = server(1).level() / 2;
  server(0).leave();
  EXPECT_EQ(store_.rows.members.size(), 1U);
  EXPECT_NEAR(static_cast<double>(store_.rows.pools.at(kWrites).level) / 2, static_cast<double>(before - others), 1);
  EXPECT_EQ(server(0).write(10), 0);
  const HalfUnits pool = store_.rows.pools.at(kWrites).level;
  server(1).look();
  EXPECT_EQ(server(1).participant.divisor(), 1U);
  EXPECT_NEAR(static_cast<double>(server(1).level()) / 2, static_cast<double>(others + pool / 2), 2);
}

TEST_F(SharedTablesTest, AServerThatLeavesInDebtPaysFromThePool) {
  start(2, {table_of(7, 100)});
  for (const auto& one : servers_) one->capacity();
  pass(10, [] {});
  ASSERT_FALSE(has_row());
  server(0).capacity().add(true, -2 * 10'000, now_ns_);
  const HalfUnits debt = server(0).level();
  ASSERT_LT(debt, 0);
  server(0).leave();
  ASSERT_TRUE(has_row());
  EXPECT_EQ(store_.rows.pools.at(kWrites).level, 2 * 100 * 150 + debt);
}

// A join while one server has everything: what it gave up is in the pool, and so is what it has when it leaves.
TEST_F(SharedTablesTest, AServerThatLeavesBeforeOthersHaveSharesLeavesThemItsUnits) {
  SharingServer& first = start_one({table_of(7, 100)});
  first.look();
  first.capacity();
  first.spend(25'000);
  SharingServer& second = start_one({table_of(7, 100)});
  second.look();
  EXPECT_EQ(second.participant.divisor(), 0U);
  first.leave();
  ASSERT_TRUE(has_row());
  EXPECT_EQ(store_.rows.pools.at(kWrites).level, 2 * 5'000);
  second.look();
  EXPECT_EQ(second.participant.divisor(), 1U);
  EXPECT_EQ(second.level(), 2 * 5'000);
}

TEST_F(SharedTablesTest, AStoreThatIsAwayForTwoSecondsEndsSharesAndCostsNoUnits) {
  start(2, {table_of(7, 100)});
  for (const auto& one : servers_) one->capacity();
  pass(10, [] {});
  const int64_t before = server(0).level() / 2;
  store_.is_away = true;
  pass(1, [] {});
  EXPECT_EQ(server(0).write(1), 1) << "the lease lasts a second and a half";
  pass(1, [] {});
  EXPECT_EQ(server(0).write(100), 0);
  EXPECT_EQ(server(1).write(100), 0);
  store_.is_away = false;
  pass(1, [] {});
  EXPECT_EQ(server(0).participant.divisor(), 2U);
  EXPECT_NEAR(static_cast<double>(server(0).level()) / 2, static_cast<double>(before), 1);
  EXPECT_EQ(server(1).write(100), 100);
}

}  // namespace
}  // namespace partita::throttle
