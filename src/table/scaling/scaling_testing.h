// A store with one or several servers that scale tables, on a clock that the test moves. Nothing runs by itself.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engines/memory/memory_engine.h"
#include "table/open/table_testing.h"
#include "table/scaling/scaler.h"
#include "table/scaling/targets.h"

namespace partita::table {

struct ScalingServerParts {
  ScalingServerParts(storage::Engine& store, uint64_t number) : way(store), random(number) {}
  FaultyEngine way;
  SeededRandom random;
};

class ScalingServer final : private ScalingServerParts, public TableContext {
 public:
  ScalingServer(storage::Engine& store, const Clock& clock, uint64_t number)
      : ScalingServerParts(store, number),
        TableContext(way, clock, ScalingServerParts::random, {.updating_ms = 0, .deleting_ms = 0, .late_ms = 0}, {}),
        scaler_(number) {}

  using ScalingServerParts::way;
  void wake_jobs() override {}
  // What the job does every second.
  Result<void> look() {
    PARTITA_TRY_VOID(wait_for(catalog().look_again()));
    return wait_for(scaler_.look(*this));
  }

 private:
  Scaler scaler_;
};

class ScalingTest : public testing::Test {
 protected:
  static constexpr int64_t kStepMs = 6'000;
  static inline const api::ScaledUnits kReads{"table/Music", false};
  static inline const api::ScaledUnits kWrites{"table/Music", true};
  static inline const api::ScaledUnits kIndexReads{"table/Music/index/ByYear", false};

  ScalingTest();

  ScalingServer& server(size_t i = 0) { return *servers_[i]; }
  void add_server() { servers_.push_back(std::make_unique<ScalingServer>(*store_, clock_, servers_.size() + 1)); }
  // All servers look, at each step of so many minutes. In each minute server 0 serves so many units a second.
  void run(int minutes, const std::map<api::ScaledUnits, double>& load = {});
  void look() {
    for (auto& server : servers_) EXPECT_TRUE(server->look().ok());
  }
  void consume(size_t server, const api::ScaledUnits& units, double count);

  // Registers a target, and a policy of 70 % if `percent` is not 0.
  void scale(const api::ScaledUnits& units, int64_t min, int64_t max, double percent = 0);
  void put_policy(const api::ScaledUnits& units, api::TargetTracking tracking);
  // The units that the table or the index has.
  int64_t provisioned(const api::ScaledUnits& units);
  void provision(const api::ScaledUnits& units, int64_t count) {
    const auto named = scaled_resource(units.resource);
    EXPECT_TRUE(wait_for(update_units(server(), named->table, named->index, units.write, count)).ok());
  }
  std::vector<ScalingActivity> activities(const api::ScaledUnits& units);
  ScalableTarget target(const api::ScaledUnits& units);
  // "minimum 10", "alarm high 15", "scheduled 5-10", with "..." behind those in progress and "!" behind failures; the
  // oldest first.
  std::vector<std::string> told(const api::ScaledUnits& units);

  std::unique_ptr<storage::Engine> store_ = open_memory_engine();
  ManualClock clock_{1'700'000'040'000};  // the beginning of a minute
  std::vector<std::unique_ptr<ScalingServer>> servers_;
};

}  // namespace partita::table
