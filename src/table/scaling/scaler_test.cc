#include "table/scaling/scaler.h"

#include <gtest/gtest.h>

#include "table/scaling/scaling_testing.h"

namespace partita::table {
namespace {

using Told = std::vector<std::string>;

TEST_F(ScalingTest, TheMinimumRaisesAtOnceWithoutAPolicy) {
  scale(kWrites, 10, 20);
  look();
  EXPECT_EQ(provisioned(kWrites), 10);
  EXPECT_EQ(provisioned(kReads), 5);
  EXPECT_EQ(told(kWrites), Told{"minimum 10"});
  EXPECT_FALSE(target(kWrites).clamp);
  EXPECT_FALSE(target(kWrites).running);
  // What is set by hand stays.
  provision(kWrites, 3);
  run(2);
  EXPECT_EQ(provisioned(kWrites), 3);
  EXPECT_EQ(told(kWrites), Told{"minimum 10"});
}

TEST_F(ScalingTest, UnitsWithinTheBoundsStay) {
  scale(kWrites, 1, 5);
  run(1);
  EXPECT_EQ(provisioned(kWrites), 5);
  EXPECT_EQ(told(kWrites), Told{});
  EXPECT_FALSE(target(kWrites).clamp);
}

TEST_F(ScalingTest, TheMaximumLowersAsSoonAsUpdateTableAllows) {
  for (const int64_t count : {40, 30, 20, 10}) {
    provision(kWrites, 50);
    provision(kWrites, count);
  }
  scale(kWrites, 1, 8);
  run(58);
  EXPECT_EQ(provisioned(kWrites), 10) << "four decreases a day, then one an hour";
  EXPECT_EQ(told(kWrites), Told{});
  run(3);
  EXPECT_EQ(provisioned(kWrites), 8);
  EXPECT_EQ(told(kWrites), Told{"maximum 8"});
}

TEST_F(ScalingTest, ProvisionedFollowsConsumed) {
  scale(kWrites, 5, 100, 70);
  run(20, {{kWrites, 3}});
  EXPECT_EQ(provisioned(kWrites), 5);
  run(1, {{kWrites, 21}});
  EXPECT_EQ(provisioned(kWrites), 5) << "one minute above is not enough";
  run(2, {{kWrites, 21}});
  EXPECT_EQ(provisioned(kWrites), 30);
  run(3, {{kWrites, 84}});
  EXPECT_EQ(provisioned(kWrites), 100) << "the maximum";
  run(14, {{kWrites, 14}});
  EXPECT_EQ(provisioned(kWrites), 100);
  run(3, {{kWrites, 14}});  // the first of the 15 minutes began with the load before
  EXPECT_EQ(provisioned(kWrites), 20);
  run(17);
  EXPECT_EQ(provisioned(kWrites), 5);
  EXPECT_EQ(told(kWrites), (Told{"alarm high 30", "alarm high 100", "alarm low 30", "alarm low 20", "alarm low 5"}));
}

TEST_F(ScalingTest, ReadsWritesAndIndexesAreScaledApart) {
  for (const auto& units : {kReads, kWrites, kIndexReads}) scale(units, 5, 100, 70);
  run(4, {{kReads, 7}, {kWrites, 14}, {kIndexReads, 28}});
  EXPECT_EQ(provisioned(kReads), 10);
  EXPECT_EQ(provisioned(kWrites), 20);
  EXPECT_EQ(provisioned(kIndexReads), 40);
  EXPECT_EQ(provisioned({kIndexReads.resource, true}), 5);
}

TEST_F(ScalingTest, ANewTargetIsNotLoweredByMinutesThatNobodyCounted) {
  scale(kReads, 5, 5, 70);  // so that minutes are stored
  provision(kWrites, 50);
  run(20);
  scale(kWrites, 5, 100, 70);
  run(14);
  EXPECT_EQ(provisioned(kWrites), 50);
  run(3);
  EXPECT_EQ(provisioned(kWrites), 5);
}

TEST_F(ScalingTest, MinutesWithoutAServerAreUnknown) {
  scale(kWrites, 5, 100, 70);
  provision(kWrites, 50);
  run(10);
  servers_[0] = std::make_unique<ScalingServer>(*store_, clock_, 7);
  clock_.advance_ms(10 * kMsOfMinute);
  run(14);
  EXPECT_EQ(provisioned(kWrites), 50);
  run(3);
  EXPECT_EQ(provisioned(kWrites), 5);
}

TEST_F(ScalingTest, AServerThatStartsAnewContinuesItsMinute) {
  scale(kWrites, 5, 100, 70);
  for (uint64_t step = 0; step < 40; ++step) {
    consume(0, kWrites, 14 * kStepMs / 1000.0);
    clock_.advance_ms(kStepMs);
    look();
    if (step % 10 == 4) servers_[0] = std::make_unique<ScalingServer>(*store_, clock_, 100 + step);
    look();
  }
  EXPECT_EQ(provisioned(kWrites), 20);
}

TEST_F(ScalingTest, APolicyThatIsGoneDoesNothing) {
  scale(kWrites, 5, 100, 70);
  EXPECT_TRUE(wait_for(delete_scaling_policy(server(), {kWrites, "p"})).ok());
  run(5, {{kWrites, 50}});
  EXPECT_EQ(provisioned(kWrites), 5);
  put_policy(kWrites, {.percent = 50});
  run(1, {{kWrites, 50}});
  EXPECT_EQ(provisioned(kWrites), 100);
  EXPECT_TRUE(wait_for(deregister_target(server(), kWrites)).ok());
  run(20);
  EXPECT_EQ(provisioned(kWrites), 100);
  EXPECT_EQ(told(kWrites), Told{"alarm high 100"}) << "activities outlive their target";
}

TEST_F(ScalingTest, ATargetOutlivesItsTable) {
  scale(kWrites, 10, 100, 70);
  run(1);
  EXPECT_EQ(provisioned(kWrites), 10);
  EXPECT_TRUE(wait_for(delete_table(server(), "Music")).ok());
  run(3);
  EXPECT_EQ(target(kWrites).min, 10);
  EXPECT_EQ(told(kWrites), Told{"minimum 10"});
}

TEST_F(ScalingTest, TablesOnDemandAreLeftAlone) {
  scale(kWrites, 10, 100, 70);
  api::UpdateTableRequest update;
  update.name = "Music";
  update.billing_mode = api::BillingMode::kPayPerRequest;
  EXPECT_TRUE(wait_for(update_table(server(), update)).ok());
  run(3, {{kWrites, 50}});
  EXPECT_EQ(told(kWrites), Told{});
}

TEST_F(ScalingTest, AChangeThatIsRefusedIsTriedAgainLater) {
  scale(kWrites, 50'000, 60'000);
  run(5);
  EXPECT_EQ(provisioned(kWrites), 5);
  EXPECT_EQ(told(kWrites), Told{"minimum 50000!"}) << "so many units are never allowed";
  EXPECT_EQ(activities(kWrites)[0].failure, ActivityFailure::kAboveMaximum);
}

TEST_F(ScalingTest, TheOldestActivitiesAreDropped) {
  scale(kWrites, 1, 1'000);
  for (int64_t i = 1; i <= 120; ++i) {
    EXPECT_TRUE(wait_for(register_target(server(), {kWrites, {5 + i, std::nullopt}, {}, {}})).ok());
    clock_.advance_ms(1'000);
    look();
  }
  ASSERT_EQ(activities(kWrites).size(), kMostActivities);
  EXPECT_EQ(told(kWrites).front(), "minimum 26");
  EXPECT_EQ(told(kWrites).back(), "minimum 125");
  clock_.advance_ms(kActivitiesKeptMs + kMsOfMinute);
  EXPECT_TRUE(activities(kWrites).empty());
  run(61);
  const auto rows = wait_for(store_->scan(all_activities(), storage::Direction::kAscending, 10, 1 << 20)).value();
  EXPECT_TRUE(rows.empty());
}

TEST_F(ScalingTest, OldMinutesAreErased) {
  scale(kWrites, 5, 100);
  run(90);
  const int64_t now = clock_.now_ms() / kMsOfMinute;
  const auto rows = wait_for(store_->scan(minutes_between(0, now), storage::Direction::kAscending, 1'000, 1 << 20));
  EXPECT_LE(rows->size(), static_cast<size_t>(CountedConsumption::kKeptMinutes) + 1);
  EXPECT_GE(rows->size(), kMinutesBelow);
}

// --- scheduled actions

api::PutScheduledActionRequest scheduled(const api::ScaledUnits& units, std::string name, std::string schedule,
                                         api::CapacityBounds bounds) {
  return {.units = units, .name = std::move(name), .schedule = std::move(schedule), .bounds = bounds};
}

TEST_F(ScalingTest, AScheduledActionSetsTheBounds) {
  scale(kWrites, 5, 20);
  EXPECT_TRUE(wait_for(put_scheduled_action(server(), scheduled(kWrites, "up", "rate(10 minutes)", {15, 30}))).ok());
  run(9);
  EXPECT_EQ(provisioned(kWrites), 5);
  run(2);
  EXPECT_EQ(provisioned(kWrites), 15);
  EXPECT_EQ(target(kWrites).max, 30);
  EXPECT_EQ(told(kWrites), (Told{"scheduled 15-30", "minimum 15"}));
  run(10);
  EXPECT_EQ(told(kWrites), (Told{"scheduled 15-30", "minimum 15", "scheduled 15-30"}));
}

TEST_F(ScalingTest, OfTwoActionsThatCameDueTheLaterOneDecides) {
  scale(kWrites, 5, 20);
  // 22:14:06 UTC.
  EXPECT_TRUE(wait_for(put_scheduled_action(server(), scheduled(kWrites, "a", "cron(0 8 * * ? *)", {15, {}}))).ok());
  EXPECT_TRUE(wait_for(put_scheduled_action(server(), scheduled(kWrites, "b", "cron(0 23 * * ? *)", {7, {}}))).ok());
  clock_.advance_ms(12 * 60 * kMsOfMinute);
  run(1);
  EXPECT_EQ(told(kWrites), (Told{"scheduled 7-20", "scheduled 15-20", "minimum 15"}));
}

TEST_F(ScalingTest, TheTimeOfASchedule) {
  scale(kWrites, 5, 20);
  auto action = scheduled(kWrites, "up", "rate(5 minutes)", {15, {}});
  action.start_ms = clock_.now_ms() + 12 * kMsOfMinute;
  action.end_ms = clock_.now_ms() + 18 * kMsOfMinute;
  EXPECT_TRUE(wait_for(put_scheduled_action(server(), action)).ok());
  run(11);
  EXPECT_EQ(told(kWrites), Told{});
  run(20);
  EXPECT_EQ(told(kWrites), (Told{"scheduled 15-20", "minimum 15", "scheduled 15-20"}));
}

TEST_F(ScalingTest, ASuspendedScheduleIsNotMadeUpFor) {
  scale(kWrites, 5, 20);
  EXPECT_TRUE(wait_for(put_scheduled_action(server(), scheduled(kWrites, "up", "rate(5 minutes)", {15, {}}))).ok());
  const auto suspend = [&](bool suspended) {
    const api::SuspendRequest state{.scheduled = suspended};
    EXPECT_TRUE(wait_for(register_target(server(), {kWrites, {}, state, {}})).ok());
  };
  suspend(true);
  run(12);
  suspend(false);
  run(2);
  EXPECT_EQ(told(kWrites), Told{});
  run(2);
  EXPECT_EQ(told(kWrites).size(), 2U);
}

TEST_F(ScalingTest, AClockThatIsSetBackStopsNothing) {
  scale(kWrites, 5, 100, 70);
  EXPECT_TRUE(wait_for(put_scheduled_action(server(), scheduled(kWrites, "up", "rate(5 minutes)", {15, {}}))).ok());
  run(6);
  EXPECT_EQ(told(kWrites), (Told{"scheduled 15-100", "minimum 15"}));
  clock_.advance_ms(-31LL * 24 * 60 * kMsOfMinute);
  run(7, {{kWrites, 21}});
  EXPECT_EQ(provisioned(kWrites), 30);
  EXPECT_EQ(target(kWrites).actions[0].done_ms / kMsOfMinute, (clock_.now_ms() - 2 * kMsOfMinute) / kMsOfMinute);
}

TEST_F(ScalingTest, AnActionWhoseBoundsWouldCrossFails) {
  scale(kWrites, 10, 20);
  EXPECT_TRUE(wait_for(put_scheduled_action(server(), scheduled(kWrites, "x", "rate(1 minute)", {{}, 4}))).ok());
  run(2);
  EXPECT_EQ(told(kWrites).back(), "scheduled 10-4!");
  EXPECT_EQ(target(kWrites).max, 20);
}

// --- several servers, and kills

TEST_F(ScalingTest, TheServersAddUpWhatTheySaw) {
  add_server();
  scale(kWrites, 5, 100, 70);
  look();
  for (int minute = 0; minute < 4; ++minute) {
    consume(0, kWrites, 7 * 60);
    consume(1, kWrites, 7 * 60);
    run(1);
  }
  EXPECT_EQ(provisioned(kWrites), 20);
  EXPECT_EQ(told(kWrites), Told{"alarm high 20"}) << "one of them acted";
}

TEST_F(ScalingTest, AServerWithAnOldDescriptionDoesNothingTwice) {
  add_server();
  scale(kWrites, 5, 100, 70);
  run(2, {{kWrites, 14}});
  for (int64_t step = 0; step < kMsOfMinute / kStepMs; ++step) {
    consume(0, kWrites, 14 * kStepMs / 1000.0);
    clock_.advance_ms(kStepMs);
    EXPECT_TRUE(server(0).look().ok());
  }
  EXPECT_EQ(told(kWrites), Told{"alarm high 20"});
  // It sees the new row of the target, but the table as it was.
  Scaler late(9);
  EXPECT_TRUE(wait_for(late.look(server(1))).ok());
  EXPECT_EQ(told(kWrites), Told{"alarm high 20"});
}

TEST_F(ScalingTest, OfTwoServersThatDecideTheSameOneBegins) {
  add_server();
  scale(kWrites, 10, 20);
  look();
  clock_.advance_ms(1'000);
  EXPECT_TRUE(wait_for(register_target(server(), {kWrites, {15, std::nullopt}, {}, {}})).ok());
  // The other one is faster, after this one has decided.
  bool acted = false;
  server(1).way.after_scan = [&](const storage::Range& range, size_t) {
    if (acted || range.begin != activities_of(kWrites).begin) return;
    acted = true;
    EXPECT_TRUE(server(0).look().ok());
  };
  EXPECT_TRUE(server(1).look().ok());
  EXPECT_TRUE(acted);
  EXPECT_EQ(told(kWrites), (Told{"minimum 10", "minimum 15"}));
}

// Whatever a server had stored when it was killed, another one has set the units and ended the activity a minute later.
TEST_F(ScalingTest, AKilledServerLeavesNothingHalfDone) {
  scale(kWrites, 5, 100);
  run(1);
  int64_t wanted = 10;
  for (int64_t writes = 0; writes <= 4; ++writes, wanted += 10) {
    add_server();
    ScalingServer& doomed = *servers_.back();
    EXPECT_TRUE(doomed.look().ok());
    EXPECT_TRUE(wait_for(register_target(server(), {kWrites, {wanted, std::nullopt}, {}, {}})).ok());
    doomed.way.writes_left = writes;
    EXPECT_EQ(doomed.look().ok(), writes > 2) << writes;
    servers_.pop_back();
    run(1);
    EXPECT_EQ(provisioned(kWrites), wanted) << writes;
    EXPECT_FALSE(target(kWrites).running) << writes;
    EXPECT_FALSE(target(kWrites).clamp) << writes;
    for (const std::string& activity : told(kWrites)) EXPECT_FALSE(activity.ends_with("...")) << activity;
    EXPECT_EQ(told(kWrites).back(), "minimum " + std::to_string(wanted)) << writes;
  }
}

}  // namespace
}  // namespace partita::table
