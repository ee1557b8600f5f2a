#include "table/scaling/scaling_testing.h"

#include <algorithm>
#include <cmath>

namespace partita::table {

ScalingTest::ScalingTest() {
  add_server();
  EXPECT_TRUE(wait_for(server().catalog().look_again()).ok());
  api::CreateTableRequest request;
  request.name = "Music";
  request.definitions = {{"pk", model::Type::kS}, {"year", model::Type::kN}};
  request.keys = {hash("pk")};
  request.throughput = api::Units{5, 5};
  api::IndexRequest index = index_request("ByYear", {hash("year")});
  index.throughput = api::Units{5, 5};
  request.global_indexes = {std::move(index)};
  EXPECT_TRUE(wait_for(create_table(server(), request)).ok());
  clock_.advance_ms(kStepMs);
}

void ScalingTest::consume(size_t server, const api::ScaledUnits& units, double count) {
  const auto named = scaled_resource(units.resource);
  const Table table = servers_[server]->catalog().find(named->table);
  const auto half_units = static_cast<model::HalfUnits>(std::llround(count * 2));
  const api::Capacity consumed = units.write ? api::Capacity{0, half_units} : api::Capacity{half_units, 0};
  if (named->index.empty()) {
    table->units->consume(consumed);
  } else {
    table->find_index(named->index)->costs->consume(consumed);
  }
}

void ScalingTest::run(int minutes, const std::map<api::ScaledUnits, double>& load) {
  for (int64_t step = 0; step < minutes * kMsOfMinute / kStepMs; ++step) {
    for (const auto& [units, rate] : load) consume(0, units, rate * kStepMs / 1000);
    clock_.advance_ms(kStepMs);
    look();
  }
}

void ScalingTest::scale(const api::ScaledUnits& units, int64_t min, int64_t max, double percent) {
  EXPECT_TRUE(wait_for(register_target(server(), {units, {min, max}, {}, {}})).ok());
  if (percent != 0) put_policy(units, {.percent = percent});
}

void ScalingTest::put_policy(const api::ScaledUnits& units, api::TargetTracking tracking) {
  EXPECT_TRUE(wait_for(put_scaling_policy(server(), {units, "p", std::move(tracking)})).ok());
}

int64_t ScalingTest::provisioned(const api::ScaledUnits& units) {
  const auto named = scaled_resource(units.resource);
  const Table table = wait_for(server().newest_table(named->table)).value();
  const auto capacity = scaled_capacity(table.get(), units, clock_.now_ms());
  return capacity ? capacity->units : 0;
}

std::vector<ScalingActivity> ScalingTest::activities(const api::ScaledUnits& units) {
  api::ScalingFilter filter{.resources = {units.resource}, .write = units.write, .limit = 1'000};
  auto found = wait_for(list_activities(server(), filter)).value().found;
  std::ranges::reverse(found);
  return found;
}

ScalableTarget ScalingTest::target(const api::ScaledUnits& units) {
  const auto stored = wait_for(read_targets(*store_)).value();
  const auto found = std::ranges::find_if(stored, [&](const auto& one) { return one.target.units == units; });
  return found == stored.end() ? ScalableTarget() : found->target;
}

std::vector<std::string> ScalingTest::told(const api::ScaledUnits& units) {
  std::vector<std::string> all;
  for (const ScalingActivity& activity : activities(units)) {
    const std::string to = " " + std::to_string(activity.capacity);
    std::string text;
    switch (activity.cause) {
      case ActivityCause::kMinimum:
        text = "minimum" + to;
        break;
      case ActivityCause::kMaximum:
        text = "maximum" + to;
        break;
      case ActivityCause::kAlarm:
        text = (activity.alarm == ScalingAlarm::kHigh ? "alarm high" : "alarm low") + to;
        break;
      case ActivityCause::kScheduled:
        text = "scheduled " + std::to_string(*activity.bounds.min) + "-" + std::to_string(*activity.bounds.max);
        break;
    }
    if (activity.status == ActivityStatus::kInProgress) text += "...";
    if (activity.status == ActivityStatus::kFailed) text += "!";
    all.push_back(text);
  }
  return all;
}

}  // namespace partita::table
