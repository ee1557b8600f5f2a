// Settings of a table that another server has changed a moment ago: nothing is left undone because it seems to be so
// already.
#include "table/control/insights.h"
#include "table/control/policy.h"
#include "table/control/tags.h"
#include "table/open/table_testing.h"

namespace partita::table {
namespace {

class SettingsTest : public TableTest {
 protected:
  SettingsTest() {
    options_.look_ms = 60'000;
    reopen();
    create(plain_table());
    other_ = Database::open(way_, clock_, random_, options_).value();
  }

  static api::Resource resource() { return {"arn:T", "T", {}}; }
  static void tag(Database& database, const std::string& key, const std::string& value) {
    EXPECT_TRUE(wait_for(add_tags(database, resource(), {{key, value}})).ok());
  }
  static void untag(Database& database, const std::string& key) {
    EXPECT_TRUE(wait_for(drop_tags(database, resource(), {key})).ok());
  }
  Tags stored_tags() { return wait_for(db().catalog().look_up("T")).value()->tags; }

  FaultyEngine way_{static_cast<storage::Engine&>(engine_)};
  std::unique_ptr<Database> other_;
};

TEST_F(SettingsTest, ATagThatAnotherServerAddedIsDropped) {
  tag(*other_, "k", "v");
  untag(db(), "k");
  EXPECT_EQ(stored_tags(), Tags());
}

TEST_F(SettingsTest, ATagThatAnotherServerDroppedIsAdded) {
  tag(db(), "k", "v");
  untag(*other_, "k");
  tag(db(), "k", "v");
  EXPECT_EQ(stored_tags(), (Tags{{"k", "v"}}));
}

TEST_F(SettingsTest, ThereIsRoomForTagsOnceAnotherServerMadeIt) {
  for (int i = 0; i < 50; ++i) tag(db(), "k" + std::to_string(i), "v");
  untag(*other_, "k7");
  tag(db(), "new", "v");
  EXPECT_EQ(stored_tags().size(), 50u);
}

class TagsInFlightTest : public SettingsTest {
 protected:
  static constexpr int64_t kMomentMs = 50;

  TagsInFlightTest() {
    other_.reset();
    options_.updating_ms = kMomentMs;
    reopen();
    other_ = Database::open(way_, clock_, random_, options_).value();
  }

  static bool is_busy(const Result<void>& done) {
    return !done.ok() && model::fault_of(done.error()) == model::Fault::kTagsBusy;
  }
};

TEST_F(TagsInFlightTest, NoServerTakesASecondChangeWithinTheMoment) {
  tag(db(), "a", "1");
  EXPECT_TRUE(is_busy(wait_for(add_tags(*other_, resource(), {{"b", "2"}}))));
  clock_.advance_ms(kMomentMs - 1);
  EXPECT_TRUE(is_busy(wait_for(drop_tags(*other_, resource(), {"a"}))));
  clock_.advance_ms(1);
  untag(*other_, "a");
  EXPECT_TRUE(is_busy(wait_for(add_tags(db(), resource(), {{"b", "2"}}))));
  clock_.advance_ms(kMomentMs);
  tag(db(), "b", "2");
  EXPECT_EQ(stored_tags(), (Tags{{"b", "2"}}));
}

TEST_F(TagsInFlightTest, AClockSetBackDoesNotProlongTheMoment) {
  tag(db(), "a", "1");
  clock_.advance_ms(-kLongestMomentMs);
  tag(db(), "b", "2");
  EXPECT_EQ(stored_tags(), (Tags{{"a", "1"}, {"b", "2"}}));
}

TEST_F(TagsInFlightTest, WhatChangesNothingTakesNoMoment) {
  tag(db(), "a", "1");
  clock_.advance_ms(kMomentMs);
  tag(*other_, "a", "1");
  untag(*other_, "absent");
  tag(db(), "b", "2");
  EXPECT_EQ(stored_tags(), (Tags{{"a", "1"}, {"b", "2"}}));
}

TEST_F(SettingsTest, InsightsAreSwitchedThoughAnotherServerSwitchedThem) {
  api::UpdateInsightsRequest request{.name = "T", .index = {}, .enable = true, .throttled_only = false};
  const auto switch_by = [&](Database& database, bool on) {
    request.enable = on;
    EXPECT_TRUE(wait_for(update_insights(database, request)).ok());
    return wait_for(db().catalog().look_up("T")).value()->insights->enabled;
  };
  EXPECT_TRUE(switch_by(db(), true));
  EXPECT_FALSE(switch_by(*other_, false));
  EXPECT_TRUE(switch_by(*other_, true));
  EXPECT_FALSE(switch_by(db(), false));
}

// A table with a sort key has 4 rules, and with throttled keys alone 2: 25 tables reach the limit.
TEST_F(SettingsTest, ThereIsRoomForAHundredInsightRulesOfAllServers) {
  const auto switch_by = [](Database& database, const std::string& name, bool on, bool throttled_only) {
    const api::UpdateInsightsRequest request{name, {}, on, throttled_only};
    const auto state = wait_for(update_insights(database, request));
    EXPECT_TRUE(state.ok());
    return state.ok() ? state->status : api::InsightsStatus::kDisabled;
  };
  using enum api::InsightsStatus;
  for (int i = 0; i < 25; ++i) {
    const std::string name = "X" + std::to_string(i);
    create(plain_table(name));
    EXPECT_EQ(switch_by(i % 2 == 0 ? db() : *other_, name, true, i == 24), kEnabled) << i;
  }
  EXPECT_EQ(switch_by(db(), "X24", true, false), kEnabled) << "just 100";
  EXPECT_EQ(switch_by(db(), "T", true, true), kFailed);
  const auto failed = wait_for(describe_insights(db(), {"T", {}}));
  EXPECT_TRUE(failed->failed);
  EXPECT_EQ(failed->rules, std::vector<std::string>());
  EXPECT_EQ(switch_by(*other_, "X3", true, true), kEnabled) << "fewer rules are always possible";
  EXPECT_EQ(wait_for(describe_insights(db(), {"T", {}}))->status, kFailed) << "it is not tried again";
  EXPECT_EQ(switch_by(db(), "T", true, true), kEnabled);
  EXPECT_EQ(switch_by(db(), "T", true, false), kFailed) << "a wider mode needs room too";
  EXPECT_EQ(switch_by(db(), "T", false, false), kDisabled);
  EXPECT_FALSE(wait_for(describe_insights(db(), {"T", {}}))->failed);
}

TEST_F(SettingsTest, AStreamThatAnotherServerBeganHasAPolicy) {
  api::UpdateTableRequest begin;
  begin.name = "T";
  begin.stream = api::StreamRequest{.enabled = true, .view_type = "KEYS_ONLY"};
  const auto begun = wait_for(update_table(*other_, begin));
  ASSERT_TRUE(begun.ok());
  const api::Resource stream{"arn:T/stream", "T", (*begun)->stream.label};
  EXPECT_TRUE(wait_for(put_policy(db(), stream, {"a", true}, {})).ok());
}

}  // namespace
}  // namespace partita::table
