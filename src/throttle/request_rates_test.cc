#include "throttle/request_rates.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "auth/identities.h"

namespace partita::throttle {
namespace {

class Hands final : public Clock {
 public:
  int64_t now_ms() const override { return ns / 1'000'000; }
  int64_t monotonic_ns() const override { return ns; }
  int64_t ns = 5'000'000'000;
};

auth::Caller caller(std::string key, const auth::Identity* identity = nullptr) {
  return {.access_key_id = std::move(key), .region = "", .account_id = "", .identity = identity};
}

bool admits(RequestRates& limit, const auth::Caller& who) {
  uint32_t wait_ms = 0;
  return limit.admit(who, wait_ms);
}

int admitted(RequestRates& limit, const auth::Caller& who, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i) count += admits(limit, who) ? 1 : 0;
  return count;
}

TEST(RequestRatesTest, ASecondsWorthAtOnceAndThenAsTimeGoesBy) {
  Hands clock;
  RequestRates limit(100, clock);
  EXPECT_EQ(admitted(limit, caller("a"), 1'000), 100);
  clock.ns += 30'000'000;
  EXPECT_EQ(admitted(limit, caller("a"), 1'000), 3);
  clock.ns += 3'600'000'000'000;
  EXPECT_EQ(admitted(limit, caller("a"), 1'000), 100);
}

TEST(RequestRatesTest, WhoKeepsToTheRateIsNeverRefused) {
  Hands clock;
  RequestRates limit(100, clock);
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_TRUE(admits(limit, caller("a")));
    clock.ns += 10'000'000;
  }
}

TEST(RequestRatesTest, WhoWaitsAsLongAsItSaysIsAdmitted) {
  Hands clock;
  RequestRates limit(40, clock);
  EXPECT_EQ(admitted(limit, caller("a"), 100), 40);
  uint32_t wait_ms = 0;
  EXPECT_FALSE(limit.admit(caller("a"), wait_ms));
  EXPECT_GE(wait_ms, 25u);
  EXPECT_LE(wait_ms, 26u);
  clock.ns += int64_t{wait_ms} * 1'000'000;
  EXPECT_TRUE(admits(limit, caller("a")));
}

TEST(RequestRatesTest, EachPrincipalHasItsOwn) {
  Hands clock;
  RequestRates limit(10, clock);
  const auth::Identity ann{.name = "ann", .arn = "arn:aws:iam::1:user/ann", .id = "", .tags = {}, .policies = {}};
  EXPECT_EQ(admitted(limit, caller("a"), 100), 10);
  EXPECT_EQ(admitted(limit, caller("b"), 100), 10);
  EXPECT_EQ(admitted(limit, caller("c", &ann), 6), 6);
  EXPECT_EQ(admitted(limit, caller("d", &ann), 100), 4);
}

TEST(RequestRatesTest, SessionsOfARoleShareIt) {
  Hands clock;
  RequestRates limit(10, clock);
  auth::Identity session{};
  session.role = "arn:aws:iam::1:role/r";
  session.arn = "arn:aws:sts::1:assumed-role/r/one";
  EXPECT_EQ(admitted(limit, caller("a", &session), 6), 6);
  session.arn = "arn:aws:sts::1:assumed-role/r/two";
  EXPECT_EQ(admitted(limit, caller("b", &session), 100), 4);
  auth::Caller root = caller("c");
  root.temporary = true;
  EXPECT_EQ(admitted(limit, root, 6), 6);
  root.access_key_id = "d";
  EXPECT_EQ(admitted(limit, root, 100), 4);
}

TEST(RequestRatesTest, WhoIsRefusedSharesOneAndTakesNobodyElses) {
  Hands clock;
  RequestRates limit(10, clock);
  uint32_t wait_ms = 0;
  const auto refused = [&](int tries) {
    int count = 0;
    for (int i = 0; i < tries; ++i) count += limit.admit_refused(wait_ms) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(refused(100), 10);
  EXPECT_EQ(admitted(limit, caller("a"), 100), 10);
  clock.ns += 200'000'000;
  EXPECT_EQ(refused(100), 2);
  RequestRates none(0, clock);
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(none.admit_refused(wait_ms));
}

TEST(RequestRatesTest, NoneIsNone) {
  Hands clock;
  RequestRates limit(0, clock);
  EXPECT_EQ(admitted(limit, caller("a"), 10'000), 10'000);
}

TEST(RequestRatesTest, ThreadsTogetherGetNoMore) {
  Hands clock;
  RequestRates limit(1'000, clock);
  std::atomic<int> count = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { count += admitted(limit, caller("a"), 1'000); });
  }
  EXPECT_EQ(count, 1'000);
}

}  // namespace
}  // namespace partita::throttle
