#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "throttle/ledger.h"
#include "throttle/ledger_testing.h"

namespace partita::throttle {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

// A server that knows nothing of time but what the test says.
class ManualServer {
 public:
  explicit ManualServer(ServerId id) : host({100, 1}, kBurstNs, 0, now_ns), participant(id, host) {}
  std::optional<LedgerWrites> begin(const LedgerRows& rows) { return participant.begin(rows, now_ns, now_ns); }
  model::HalfUnits level() { return host.state(kBucket)->level; }

  int64_t now_ns = 1'000'000 * kMillisecond;
  OneBucketHost host;
  LedgerParticipant participant;
};

TEST(LedgerParticipantTest, AServerGivesUpBeforeItWritesAndTakesAfterwards) {
  ManualServer one(1);
  LedgerRows rows;
  rows.members = one.begin(rows)->members;
  EXPECT_FALSE(one.host.serves());
  one.participant.end(LedgerOutcome::kCommitted, one.now_ns);
  EXPECT_TRUE(one.host.serves());
  EXPECT_EQ(one.level(), 60'000);
  EXPECT_FALSE(one.begin(rows)) << "one server alone writes nothing";

  ManualServer other(2);
  rows.members = other.begin(rows)->members;
  other.participant.end(LedgerOutcome::kCommitted, other.now_ns);
  EXPECT_EQ(other.participant.divisor(), 0U) << "the first has everything still";
  const auto writes = one.begin(rows);
  EXPECT_EQ(one.participant.divisor(), 2U) << "before it is written";
  EXPECT_EQ(one.level(), 15'000);
  rows.members = writes->members;
  one.participant.end(LedgerOutcome::kCommitted, one.now_ns);
  const auto joined = other.begin(rows);
  EXPECT_EQ(other.participant.divisor(), 0U) << "not before it is written";
  other.participant.end(LedgerOutcome::kCommitted, other.now_ns);
  EXPECT_EQ(other.participant.divisor(), 2U);
  EXPECT_TRUE(joined->pools.empty()) << "no table is short of units";
}

TEST(LedgerParticipantTest, UnitsWhoseReturnIsNotKnownAreLostAndOthersAreNot) {
  for (const LedgerOutcome outcome : {LedgerOutcome::kUnknown, LedgerOutcome::kNotDone, LedgerOutcome::kCommitted}) {
    ManualServer one(1);
    LedgerRows rows;
    rows.members = one.begin(rows)->members;
    one.participant.end(LedgerOutcome::kCommitted, one.now_ns);
    rows.members.push_back({2, 1, 0});
    rows.members = one.begin(rows)->members;
    one.participant.end(LedgerOutcome::kCommitted, one.now_ns);
    rows.pools[kBucket] = Pool{0, {{2, 500}}};
    const model::HalfUnits before = one.level();
    const auto writes = one.begin(rows);
    const model::HalfUnits after = one.level();
    EXPECT_EQ(writes->pools.at(kBucket)->level, before - after) << "the other server wants them";
    EXPECT_LT(after, before / 10);
    one.participant.end(outcome, one.now_ns);
    EXPECT_EQ(one.level(), after);
    if (outcome == LedgerOutcome::kCommitted) rows.pools[kBucket] = *writes->pools.at(kBucket);
    const auto again = one.begin(rows);
    const model::HalfUnits returned = again->pools.contains(kBucket) ? again->pools.at(kBucket)->level : 0;
    EXPECT_EQ(returned, outcome == LedgerOutcome::kNotDone ? before - after : 0);
  }
}

TEST(LedgerParticipantTest, AfterTheMembersWereDamagedNobodyServesForALease) {
  ManualServer one(1);
  ManualServer other(2);
  LedgerRows rows;
  const auto look = [&](ManualServer& server) {
    const auto writes = server.begin(rows);
    if (!writes) return;
    rows.members = writes->members;
    server.participant.end(LedgerOutcome::kCommitted, server.now_ns);
  };
  const auto pass = [&](int64_t ms) {
    for (ManualServer* const server : {&one, &other}) server->now_ns += ms * kMillisecond;
  };
  for (int i = 0; i < 4; ++i) look(one), look(other);
  ASSERT_EQ(other.participant.divisor(), 2U);
  rows.members = {kUnknownServers};
  for (int64_t ms = 0; ms < 1'500; ms += 100) {
    if (ms < 500) {
      EXPECT_TRUE(other.host.serves()) << "it has not seen it";
    } else {
      look(other);
      EXPECT_FALSE(other.host.serves());
    }
    look(one);
    EXPECT_FALSE(one.host.serves()) << "others may have all of it";
    pass(100);
  }
  for (int i = 0; i < 8; ++i) look(one), look(other), pass(100);
  EXPECT_EQ(one.participant.divisor(), 2U);
  EXPECT_EQ(other.participant.divisor(), 2U);
  EXPECT_EQ(rows.members.size(), 2U);
}

// A host whose buckets are updated by divide() alone, as those of tables are.
class OrderHost final : public LedgerHost {
 public:
  void divide(uint32_t divisor) override { valid_when_divided.push_back({divisor, until_ns}); }
  void fill() override {}
  void renew(int64_t until) override { until_ns = until; }
  std::vector<BucketId> buckets() override { return {}; }
  std::optional<BucketState> state(const BucketId&) override { return std::nullopt; }
  void add(const BucketId&, model::HalfUnits) override {}
  void raise(const BucketId&, int64_t) override {}
  void add_load(const BucketId&, model::HalfUnits) override {}

  int64_t until_ns = INT64_MIN;
  std::vector<std::pair<uint32_t, int64_t>> valid_when_divided;
};

TEST(LedgerParticipantTest, AShareIsRenewedBeforeItIsRaised) {
  OrderHost host;
  LedgerParticipant participant(1, host);
  LedgerRows rows;
  const int64_t now_ns = 100 * kMillisecond;
  const auto writes = participant.begin(rows, now_ns, now_ns);
  participant.end(LedgerOutcome::kUnknown, now_ns);
  EXPECT_EQ(host.until_ns, INT64_MIN);
  rows.members = writes->members;
  EXPECT_FALSE(participant.begin(rows, now_ns, now_ns)) << "it was written";
  ASSERT_EQ(host.valid_when_divided.size(), 2U);
  EXPECT_EQ(host.valid_when_divided.back(), std::pair(1U, now_ns + kLeaseNs));
  OrderHost second_host;
  LedgerParticipant second(2, second_host);
  static_cast<void>(second.begin({}, now_ns, now_ns));
  second.end(LedgerOutcome::kCommitted, now_ns);
  EXPECT_EQ(second_host.valid_when_divided.back(), std::pair(1U, now_ns + kLeaseNs));
}

}  // namespace
}  // namespace partita::throttle
