#include "table/scaling/decision.h"

#include <gtest/gtest.h>

#include <vector>

namespace partita::table {
namespace {

constexpr int64_t kDecidedMs = 1'700'000'040'000;
using ConsumedList = std::vector<std::optional<model::HalfUnits>>;

ScalableTarget tracked_target(double percent = 70) {
  ScalableTarget target{.units = {"table/Music", true}, .min = 1, .max = 100};
  target.policy = ScalingPolicy{.name = "p", .id = "i", .tracking = {.percent = percent}};
  return target;
}

// ConsumedList in which so many units were consumed.
ConsumedList minutes_of_units(size_t count, double units) {
  return ConsumedList(count, static_cast<model::HalfUnits>(units * 2));
}

std::optional<int64_t> capacity_for(const ScalableTarget& target, int64_t units, const ConsumedList& minutes,
                                    int64_t decrease_at_ms = 0, int64_t now_ms = kDecidedMs) {
  const auto change = wanted_change(target, {units, decrease_at_ms}, minutes, now_ms);
  return change ? std::optional(change->capacity) : std::nullopt;
}

// At 5 units and 70 %, AWS's alarms are at 210 and 150 units a minute.
TEST(ScalingDecision, HasTheThresholdsOfAws) {
  EXPECT_EQ(capacity_for(tracked_target(), 5, minutes_of_units(15, 210)), std::nullopt);
  EXPECT_EQ(capacity_for(tracked_target(), 5, minutes_of_units(15, 210.5)), 6);
  EXPECT_EQ(capacity_for(tracked_target(), 5, minutes_of_units(15, 150)), std::nullopt);
  EXPECT_EQ(capacity_for(tracked_target(), 5, minutes_of_units(15, 149.5)), 4);
  // The other account, at 1 unit: 42. There is nothing below one unit.
  EXPECT_EQ(capacity_for(tracked_target(), 1, minutes_of_units(15, 42.5)), 2);
  EXPECT_EQ(capacity_for(tracked_target(), 1, minutes_of_units(15, 0)), std::nullopt);
}

TEST(ScalingDecision, TheLowerThresholdFollowsThePercentage) {
  EXPECT_EQ(lower_percent(90), 70);
  EXPECT_EQ(lower_percent(70), 50);
  EXPECT_EQ(lower_percent(40), 20);
  EXPECT_EQ(lower_percent(20), 10);
}

TEST(ScalingDecision, TwoMinutesAboveRaise) {
  ConsumedList minutes = minutes_of_units(15, 0);
  minutes[14] = 1200;
  EXPECT_EQ(capacity_for(tracked_target(), 5, minutes), std::nullopt);
  minutes[13] = 1200;  // 10 units a second
  EXPECT_EQ(capacity_for(tracked_target(), 5, minutes), 15);
  minutes[13] = 2400;  // the busier of the two counts
  EXPECT_EQ(capacity_for(tracked_target(), 5, minutes), 29);
  minutes[13] = std::nullopt;
  EXPECT_EQ(capacity_for(tracked_target(), 5, minutes), std::nullopt);
}

TEST(ScalingDecision, FifteenMinutesBelowLower) {
  ConsumedList minutes = minutes_of_units(15, 0);
  EXPECT_EQ(capacity_for(tracked_target(), 20, minutes), 1);
  minutes[0] = 840;  // 7 units a second
  EXPECT_EQ(capacity_for(tracked_target(), 20, minutes), 10);
  minutes[0] = 1200;
  EXPECT_EQ(capacity_for(tracked_target(), 20, minutes), std::nullopt);
  minutes[0] = std::nullopt;
  EXPECT_EQ(capacity_for(tracked_target(), 20, minutes), std::nullopt);
  EXPECT_EQ(capacity_for(tracked_target(), 20, minutes_of_units(14, 0)), std::nullopt);
}

TEST(ScalingDecision, StaysWithinTheBounds) {
  ScalableTarget target = tracked_target();
  target.min = 4;
  target.max = 12;
  EXPECT_EQ(capacity_for(target, 5, minutes_of_units(15, 6'000)), 12);
  EXPECT_EQ(capacity_for(target, 12, minutes_of_units(15, 6'000)), std::nullopt);
  EXPECT_EQ(capacity_for(target, 12, minutes_of_units(15, 0)), 4);
  EXPECT_EQ(capacity_for(target, 4, minutes_of_units(15, 0)), std::nullopt);
  // Units that somebody set out of bounds stay, but for what the policy does.
  EXPECT_EQ(capacity_for(target, 3, minutes_of_units(15, 100)), std::nullopt);
  EXPECT_EQ(capacity_for(target, 50, minutes_of_units(15, 0)), 4);
}

TEST(ScalingDecision, WaitsForADecreaseThatUpdateTableAllows) {
  EXPECT_EQ(capacity_for(tracked_target(), 20, minutes_of_units(15, 0), kDecidedMs + 1), std::nullopt);
  EXPECT_EQ(capacity_for(tracked_target(), 20, minutes_of_units(15, 0), kDecidedMs), 1);
  ScalableTarget bounded{.units = {"table/Music", true}, .min = 1, .max = 5, .clamp = true};
  EXPECT_EQ(capacity_for(bounded, 20, {}, kDecidedMs + 1), std::nullopt);
  EXPECT_EQ(capacity_for(bounded, 20, {}, kDecidedMs), 5);
}

TEST(ScalingDecision, Suspended) {
  ScalableTarget target = tracked_target();
  target.out_suspended = true;
  EXPECT_EQ(capacity_for(target, 5, minutes_of_units(15, 600)), std::nullopt);
  EXPECT_EQ(capacity_for(target, 50, minutes_of_units(15, 600)), 15);
  target.out_suspended = false;
  target.in_suspended = true;
  EXPECT_EQ(capacity_for(target, 5, minutes_of_units(15, 600)), 15);
  EXPECT_EQ(capacity_for(target, 50, minutes_of_units(15, 600)), std::nullopt);
  target.in_suspended = false;
  target.policy->tracking.out_only = true;
  EXPECT_EQ(capacity_for(target, 50, minutes_of_units(15, 600)), std::nullopt);
}

TEST(ScalingDecision, Cooldowns) {
  ScalableTarget target = tracked_target();
  target.out_ms = kDecidedMs - 59'999;
  target.in_ms = kDecidedMs - 59'999;
  EXPECT_EQ(capacity_for(target, 5, minutes_of_units(15, 600)), 15) << "no cooldown unless it is given";
  EXPECT_EQ(capacity_for(target, 50, minutes_of_units(15, 600)), 15);
  target.policy->tracking.out_s = 60;
  target.policy->tracking.in_s = 60;
  EXPECT_EQ(capacity_for(target, 5, minutes_of_units(15, 600)), std::nullopt);
  EXPECT_EQ(capacity_for(target, 50, minutes_of_units(15, 600)), std::nullopt);
  EXPECT_EQ(capacity_for(target, 5, minutes_of_units(15, 600), 0, kDecidedMs + 1), 15);
  EXPECT_EQ(capacity_for(target, 50, minutes_of_units(15, 600), 0, kDecidedMs + 1), 15);
  target.policy->tracking.out_s = INT64_MAX;
  EXPECT_EQ(capacity_for(target, 5, minutes_of_units(15, 600), 0, kDecidedMs + 1), std::nullopt);
  target.policy->tracking.out_s.reset();
  target.retry_ms = kDecidedMs + 1;
  EXPECT_EQ(capacity_for(target, 5, minutes_of_units(15, 600), 0, kDecidedMs), std::nullopt);
}

TEST(ScalingDecision, BoundsComeBeforeThePolicy) {
  ScalableTarget target = tracked_target();
  target.min = 10;
  EXPECT_EQ(capacity_for(target, 5, {}), std::nullopt) << "the bounds are compared only after they were set";
  target.clamp = true;
  EXPECT_EQ(wanted_change(target, {5, 0}, minutes_of_units(15, 6'000), kDecidedMs),
            (WantedChange{10, ActivityCause::kMinimum, ScalingAlarm::kHigh}));
  EXPECT_EQ(wanted_change(target, {200, 0}, {}, kDecidedMs),
            (WantedChange{100, ActivityCause::kMaximum, ScalingAlarm::kHigh}));
}

TEST(ScalingDecision, WhatCanBeScaled) {
  TableInfo table;
  table.throughput.read_units = 3;
  table.throughput.write_units = 4;
  table.indexes.emplace_back().name = "ByYear";
  table.indexes[0].throughput.read_units = 5;
  EXPECT_EQ(scaled_capacity(&table, {"table/Music", false}, kDecidedMs)->units, 3);
  EXPECT_EQ(scaled_capacity(&table, {"table/Music", true}, kDecidedMs)->units, 4);
  EXPECT_EQ(scaled_capacity(&table, {"table/Music/index/ByYear", false}, kDecidedMs)->units, 5);
  EXPECT_FALSE(scaled_capacity(&table, {"table/Music/index/Other", false}, kDecidedMs));
  EXPECT_FALSE(scaled_capacity(nullptr, {"table/Music", false}, kDecidedMs));
  table.throughput.next = {api::Units{7, 8}, kDecidedMs + 50};
  EXPECT_EQ(scaled_capacity(&table, {"table/Music", true}, kDecidedMs)->units, 8) << "the change has begun";
  table.indexes[0].status = Status::kCreating;
  EXPECT_FALSE(scaled_capacity(&table, {"table/Music/index/ByYear", false}, kDecidedMs));
  table.billing_mode = api::BillingMode::kPayPerRequest;
  EXPECT_FALSE(scaled_capacity(&table, {"table/Music", true}, kDecidedMs));
}

TEST(ScalingDecision, WhenADecreaseIsAllowed) {
  TableInfo table;
  table.throughput.last_decrease_ms = kDecidedMs - 60'000;
  table.throughput.decreases_today = 3;
  EXPECT_EQ(scaled_capacity(&table, {"table/Music", true}, kDecidedMs)->decrease_at_ms, 0);
  table.throughput.decreases_today = 4;
  EXPECT_EQ(scaled_capacity(&table, {"table/Music", true}, kDecidedMs)->decrease_at_ms, kDecidedMs + 59 * 60'000);
  const int64_t midnight_ms = (kDecidedMs / 86'400'000 + 1) * 86'400'000;
  table.throughput.last_decrease_ms = midnight_ms - 60'000;
  EXPECT_EQ(scaled_capacity(&table, {"table/Music", true}, midnight_ms - 1)->decrease_at_ms, midnight_ms);
}

}  // namespace
}  // namespace partita::table
