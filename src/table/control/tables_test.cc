// UpdateTable and DeleteTable against a clock that stands still: what is refused while what is under way, and what a
// table is when it is done.

#include "table/control/tables.h"

#include <gtest/gtest.h>

#include "table/control/update_rules.h"
#include "table/open/table_testing.h"

namespace partita::table {
namespace {

constexpr int64_t kMoment = 50;
constexpr int64_t kHour = 60LL * 60 * 1000;
constexpr int64_t kDay = 24 * kHour;

// One table, changed in place.
class TablesTest : public TableTest {
 protected:
  void wait() { clock_.advance_ms(kMoment); }

  void create_active(const api::CreateTableRequest& request) {
    const Table made = create(request);
    ASSERT_NE(made, nullptr);
    table_ = *made;
    const auto dropped = wait_for(delete_table(db(), "T"));
    ASSERT_TRUE(dropped.ok());
    wait_for_jobs();
  }

  // The table as it is now.
  TableInfo now() {
    TableInfo table = table_;
    table.settle(clock_.now_ms());
    return table;
  }

  Result<void> change_to(const api::UpdateTableRequest& update) {
    PARTITA_TRY_VOID(check_update(update));
    TableInfo changed = table_;
    PARTITA_TRY_VOID(apply_update(changed, update, clock_.now_ms(), clock_.now_ms() + kMoment));
    table_ = std::move(changed);
    return {};
  }
  // The fault of an update, or kCount when it was accepted.
  Fault fault(const api::UpdateTableRequest& update) {
    const auto changed = change_to(update);
    return changed.ok() ? Fault::kCount : model::fault_of(changed.error());
  }
  std::vector<std::string> fault_args(const api::UpdateTableRequest& update) {
    const auto changed = change_to(update);
    return changed.ok() ? std::vector<std::string>() : changed.error().args();
  }
  void update(const api::UpdateTableRequest& update) { ASSERT_EQ(fault(update), Fault::kCount); }
  // Of a copy.
  Fault deletion_fault() {
    TableInfo copy = table_;
    const auto deleted = apply_deletion(copy, clock_.now_ms());
    return deleted.ok() ? Fault::kCount : model::fault_of(deleted.error());
  }

  TableInfo table_;
};

constexpr Fault kAccepted = Fault::kCount;

api::UpdateTableRequest change() {
  api::UpdateTableRequest update;
  update.name = "T";
  return update;
}

api::UpdateTableRequest units(int64_t read, int64_t write) {
  api::UpdateTableRequest update = change();
  update.throughput = {read, write};
  return update;
}

api::UpdateTableRequest billing(api::BillingMode mode) {
  api::UpdateTableRequest update = change();
  update.billing_mode = mode;
  if (mode == api::BillingMode::kProvisioned) update.throughput = {5, 5};
  return update;
}

api::UpdateTableRequest stream(bool enabled) {
  api::UpdateTableRequest update = change();
  update.stream = {enabled, enabled ? "NEW_IMAGE" : ""};
  return update;
}

api::UpdateTableRequest table_class(const std::string& name) {
  api::UpdateTableRequest update = change();
  update.table_class = name;
  return update;
}

api::UpdateTableRequest limits(int64_t reads) {
  api::UpdateTableRequest update = change();
  update.on_demand.max_read_units = reads;
  return update;
}

api::UpdateTableRequest warm(int64_t reads) {
  api::UpdateTableRequest update = change();
  update.warm.read_units = reads;
  return update;
}

api::UpdateTableRequest encryption(bool enabled) {
  api::UpdateTableRequest update = change();
  update.encryption = {enabled, "", ""};
  return update;
}

api::UpdateTableRequest protection(bool on) {
  api::UpdateTableRequest update = change();
  update.deletion_protection = on;
  return update;
}

api::UpdateTableRequest index_units(const std::string& index, int64_t read, int64_t write) {
  api::UpdateTableRequest update = change();
  api::IndexUpdate& one = update.indexes.emplace().emplace_back();
  one.changed = index;
  one.throughput = {read, write};
  return update;
}

api::UpdateTableRequest new_index(const std::string& name = "by-g") {
  return add_index("T", index_request(name, {hash("g")}), {{"g", model::Type::kS}});
}

api::CreateTableRequest provisioned(int64_t read, int64_t write) {
  api::CreateTableRequest request = plain_table();
  request.billing_mode = api::BillingMode::kProvisioned;
  request.throughput = {read, write};
  return request;
}

api::CreateTableRequest provisioned_with_index(int64_t units) {
  api::CreateTableRequest request = provisioned(units, units);
  request.definitions.push_back({"g", model::Type::kS});
  api::IndexRequest index = index_request("by-g", {hash("g")});
  index.throughput = {units, units};
  request.global_indexes = {index};
  return request;
}

TEST_F(TablesTest, NewUnitsAreThereWhenTheChangeIsDone) {
  create_active(provisioned(5, 5));
  update(units(3, 8));
  EXPECT_EQ(now().status, Status::kUpdating);
  EXPECT_EQ(now().throughput.read_units, 5);
  EXPECT_EQ(now().throughput.decreases_today, 0);
  EXPECT_EQ(now().throughput.last_decrease_ms, clock_.now_ms());
  EXPECT_EQ(now().throughput.last_increase_ms, clock_.now_ms());
  wait();
  EXPECT_EQ(now().status, Status::kActive);
  EXPECT_EQ(now().throughput.read_units, 3);
  EXPECT_EQ(now().throughput.write_units, 8);
  EXPECT_EQ(now().throughput.decreases_today, 1);
  // What was warm once stays warm.
  EXPECT_EQ(now().warm.read_units, 5);
  EXPECT_EQ(now().warm.write_units, 8);
}

TEST_F(TablesTest, AnIndexIsUpdatedAndItsTableIsNot) {
  create_active(provisioned_with_index(5));
  update(index_units("by-g", 6, 5));
  EXPECT_EQ(now().status, Status::kActive);
  EXPECT_NE(now().indexes[0].settles_at_ms, 0);
  EXPECT_EQ(now().indexes[0].status, Status::kActive);  // it can be queried as before
  EXPECT_EQ(now().indexes[0].throughput.read_units, 5);
  EXPECT_EQ(fault(index_units("by-g", 7, 5)), Fault::kIndexInUse);
  EXPECT_EQ(deletion_fault(), Fault::kIndexesAtWork);
  wait();
  EXPECT_EQ(now().indexes[0].settles_at_ms, 0);
  EXPECT_EQ(now().indexes[0].throughput.read_units, 6);
  EXPECT_EQ(fault(index_units("by-g", 6, 5)), Fault::kIndexThroughputUnchanged);
}

TEST_F(TablesTest, FourDecreasesADayAndThenOneAnHour) {
  create_active(provisioned_with_index(50));
  clock_.advance_ms(kDay - clock_.now_ms() % kDay + 1000);  // a second after midnight, in UTC
  for (int64_t left = 49; left > 45; --left) {
    ASSERT_EQ(fault(units(left, 50)), kAccepted);
    wait();
  }
  EXPECT_EQ(now().throughput.decreases_today, 4);
  EXPECT_EQ(fault(units(1, 99)), Fault::kDecreasesLimited);
  EXPECT_EQ(fault(units(46, 99)), kAccepted);  // no decrease
  wait();
  EXPECT_EQ(fault(index_units("by-g", 1, 1)), kAccepted);  // an index has a budget of its own
  wait();
  clock_.advance_ms(kHour);
  EXPECT_EQ(fault(units(45, 99)), kAccepted);
  wait();
  EXPECT_EQ(now().throughput.decreases_today, 5);
  const auto args = fault_args(units(44, 99));
  ASSERT_EQ(args.size(), 3u);
  EXPECT_EQ(args[0], "5");
  EXPECT_TRUE(args[1].ends_with("at 1:00:01 AM Coordinated Universal Time")) << args[1];
  EXPECT_TRUE(args[2].ends_with("at 2:00:01 AM Coordinated Universal Time")) << args[2];
  clock_.advance_ms(kDay - clock_.now_ms() % kDay);
  EXPECT_EQ(now().throughput.decreases_on(clock_.now_ms()), 0);
  EXPECT_EQ(fault(units(44, 99)), kAccepted);
  wait();
  EXPECT_EQ(now().throughput.decreases_today, 1);
}

TEST_F(TablesTest, TheNextDecreaseIsNoLaterThanMidnight) {
  create_active(provisioned(50, 50));
  clock_.advance_ms(kDay - clock_.now_ms() % kDay + kDay - kHour / 2);
  for (int64_t left = 49; left > 45; --left) {
    ASSERT_EQ(fault(units(left, 50)), kAccepted);
    wait();
  }
  const auto args = fault_args(units(1, 50));
  ASSERT_EQ(args.size(), 3u);
  EXPECT_TRUE(args[2].ends_with("at 12:00:00 AM Coordinated Universal Time")) << args[2];
}

TEST_F(TablesTest, BillingThereAndBack) {
  create_active(provisioned_with_index(5));
  EXPECT_EQ(now().billing_changed_ms, 0);
  update(billing(api::BillingMode::kPayPerRequest));
  EXPECT_EQ(now().billing_mode, api::BillingMode::kPayPerRequest);
  EXPECT_EQ(now().throughput.read_units, 0);
  EXPECT_EQ(now().indexes[0].throughput.read_units, 0);
  EXPECT_EQ(now().billing_changed_ms, 0);
  wait();
  EXPECT_EQ(now().billing_changed_ms, clock_.now_ms());
  EXPECT_EQ(now().warm.read_units, 12'000);
  EXPECT_EQ(now().indexes[0].warm.write_units, 4'000);
  ASSERT_EQ(fault(limits(7)), kAccepted);
  EXPECT_EQ(fault(billing(api::BillingMode::kProvisioned)), Fault::kIndexThroughputMissingOnSwitch);
  api::UpdateTableRequest back = billing(api::BillingMode::kProvisioned);
  back.indexes = index_units("by-g", 9, 9).indexes;
  ASSERT_EQ(fault(back), kAccepted);
  EXPECT_EQ(now().throughput.write_units, 5);
  EXPECT_EQ(now().indexes[0].throughput.write_units, 9);
  EXPECT_TRUE(now().on_demand.empty());
  wait();
  EXPECT_EQ(now().indexes[0].settles_at_ms, 0);
  EXPECT_EQ(now().warm.read_units, 12'000);
}

TEST_F(TablesTest, TheSameBillingModeChangesNothing) {
  create_active(plain_table());
  update(billing(api::BillingMode::kPayPerRequest));
  EXPECT_EQ(table_.status_at(clock_.now_ms()), Status::kUpdating);
  EXPECT_EQ(fault(stream(true)), kAccepted);
  clock_.advance_ms(1);
  EXPECT_EQ(now().status, Status::kUpdating);  // the stream
  wait();
  update(billing(api::BillingMode::kPayPerRequest));
  EXPECT_EQ(table_.status_at(clock_.now_ms()), Status::kUpdating);
  clock_.advance_ms(1);
  EXPECT_EQ(now().status, Status::kActive);
}

struct During {
  const char* name;
  api::UpdateTableRequest first;
  std::vector<std::pair<api::UpdateTableRequest, Fault>> then;
  Fault deletion;
};

TEST_F(TablesTest, WhatIsRefusedWhileATableIsUpdated) {
  const std::vector<During> cases{
      {"throughput",
       units(6, 6),
       {{units(7, 7), Fault::kThroughputDuringThroughput},
        {billing(api::BillingMode::kPayPerRequest), Fault::kThroughputDuringThroughput},
        {stream(true), Fault::kStreamDuringThroughput},
        {table_class("STANDARD_INFREQUENT_ACCESS"), Fault::kClassDuringThroughput},
        {new_index("more"), Fault::kIndexDuringThroughput},
        {encryption(true), kAccepted},
        {warm(900), kAccepted},
        {protection(false), kAccepted}},
       Fault::kTableBusy},
      {"billing",
       billing(api::BillingMode::kPayPerRequest),
       {{units(7, 7), Fault::kThroughputOnDemand},
        {billing(api::BillingMode::kPayPerRequest), Fault::kThroughputDuringThroughput},
        {limits(5), Fault::kLimitsDuringBilling},
        {stream(true), Fault::kStreamDuringThroughput},
        {warm(20'000), kAccepted},
        {protection(false), kAccepted}},
       Fault::kTableBusy},
      {"class",
       table_class("STANDARD_INFREQUENT_ACCESS"),
       {{table_class("STANDARD"), Fault::kClassDuringClass},
        {stream(true), Fault::kStreamDuringClass},
        {new_index("more"), Fault::kIndexDuringClass},
        {units(7, 7), Fault::kThroughputDuringClass},
        {encryption(true), kAccepted},
        {protection(false), kAccepted}},
       Fault::kTableBusy},
      {"stream",
       stream(true),
       {{stream(false), Fault::kStreamDuringStream},
        {table_class("STANDARD_INFREQUENT_ACCESS"), Fault::kClassDuringStream},
        {new_index("more"), Fault::kIndexDuringStream},
        {units(7, 7), Fault::kThroughputDuringStream},
        {warm(900), kAccepted},
        {protection(false), kAccepted}},
       Fault::kStreamAtWork},
      {"encryption",
       encryption(true),
       {{encryption(false), Fault::kEncryptionDuringEncryption}, {protection(false), kAccepted}},
       Fault::kTableBusy},
      {"warm", warm(900), {{warm(950), kAccepted}, {protection(false), kAccepted}}, Fault::kTableBusy},
  };
  for (const During& one : cases) {
    SCOPED_TRACE(one.name);
    create_active(provisioned(5, 5));
    ASSERT_EQ(fault(one.first), kAccepted);
    for (size_t i = 0; i < one.then.size(); ++i) {
      EXPECT_EQ(fault(one.then[i].first), one.then[i].second) << i;
    }
    EXPECT_EQ(deletion_fault(), one.deletion);
    wait();
    EXPECT_EQ(deletion_fault(), kAccepted);
  }
}

TEST_F(TablesTest, ATableInTheMakingIsNotChanged) {
  create_active(plain_table());
  for (const Status status : {Status::kCreating, Status::kDeleting}) {
    table_.status = status;
    table_.settles_at_ms = clock_.now_ms() + 1;
    EXPECT_EQ(fault(protection(true)), Fault::kTableInUse);
    EXPECT_EQ(deletion_fault(), Fault::kTableInUse);
  }
}

TEST_F(TablesTest, WhatIsRefusedWhileAnIndexIsDropped) {
  create_active(provisioned_with_index(5));
  ASSERT_EQ(fault(drop_index("T", "by-g")), kAccepted);
  EXPECT_EQ(fault(units(6, 6)), Fault::kThroughputDuringIndex);
  EXPECT_EQ(fault(billing(api::BillingMode::kPayPerRequest)), Fault::kThroughputDuringIndex);
  EXPECT_EQ(fault(stream(true)), Fault::kStreamDuringIndex);
  EXPECT_EQ(fault(index_units("by-g", 6, 6)), Fault::kIndexInUse);
  EXPECT_EQ(fault(drop_index("T", "by-g")), Fault::kIndexInUse);
  EXPECT_EQ(fault(new_index()), Fault::kIndexInUse);
  EXPECT_EQ(fault(new_index("other")), Fault::kOneOnlineIndex);
  EXPECT_EQ(fault(protection(true)), kAccepted);
  EXPECT_EQ(deletion_fault(), Fault::kIndexesAtWork);
  EXPECT_NE(now().find_definition("g"), nullptr);
}

TEST_F(TablesTest, AnIndexIsChangedAndDroppedOnceItIsBackfilling) {
  create_active(provisioned_with_index(5));
  IndexInfo& index = table_.indexes[0];
  index.status = Status::kCreating;
  EXPECT_EQ(fault(index_units("by-g", 6, 6)), Fault::kIndexNotBackfilling);
  EXPECT_EQ(fault(drop_index("T", "by-g")), Fault::kIndexAllocated);
  EXPECT_EQ(fault(units(6, 6)), Fault::kThroughputDuringIndex);
  index.backfilling = true;
  EXPECT_EQ(fault(new_index()), Fault::kIndexExists);
  EXPECT_EQ(fault(new_index("other")), Fault::kOneOnlineIndex);
  EXPECT_EQ(deletion_fault(), Fault::kIndexesAtWork);
  ASSERT_EQ(fault(index_units("by-g", 6, 6)), kAccepted);
  EXPECT_EQ(fault(drop_index("T", "by-g")), Fault::kIndexInUse);
  wait();
  ASSERT_EQ(fault(drop_index("T", "by-g")), kAccepted);
  EXPECT_EQ(now().indexes[0].status, Status::kDeleting);
  EXPECT_FALSE(now().indexes[0].backfilling);
  EXPECT_EQ(fault(units(7, 7)), Fault::kThroughputDuringIndex);
}

TEST_F(TablesTest, ATableClassChangesTwiceInThirtyDays) {
  create_active(plain_table());
  const api::UpdateTableRequest to_infrequent = table_class("STANDARD_INFREQUENT_ACCESS");
  const api::UpdateTableRequest to_standard = table_class("STANDARD");
  EXPECT_EQ(fault(to_standard), kAccepted);  // what it is already: nothing changes
  wait();
  EXPECT_EQ(now().table_class, "");
  ASSERT_EQ(fault(to_infrequent), kAccepted);
  EXPECT_EQ(now().table_class, "");
  wait();
  EXPECT_EQ(now().table_class, "STANDARD_INFREQUENT_ACCESS");
  ASSERT_EQ(fault(to_standard), kAccepted);
  wait();
  EXPECT_EQ(now().table_class, "STANDARD");
  EXPECT_EQ(fault(to_infrequent), Fault::kTableClassLimited);
  EXPECT_EQ(fault(to_standard), Fault::kTableClassLimited);
  clock_.advance_ms(30 * kDay);
  EXPECT_EQ(fault(to_infrequent), kAccepted);
}

TEST_F(TablesTest, AKeyIsTheSameOnlyByItsArn) {
  create_active(plain_table());
  api::UpdateTableRequest keyed = change();
  keyed.encryption = {true, "KMS", "arn:aws:kms:us-east-1:123456789012:key/k-1"};
  EXPECT_EQ(fault(encryption(false)), Fault::kEncryptionOffAlready);
  ASSERT_EQ(fault(keyed), kAccepted);
  EXPECT_FALSE(now().encryption);
  wait();
  ASSERT_TRUE(now().encryption);
  EXPECT_EQ(fault(keyed), Fault::kEncryptionSameKey);
  keyed.encryption->key = "k-1";
  EXPECT_EQ(fault(keyed), kAccepted);
  wait();
  ASSERT_EQ(fault(encryption(false)), kAccepted);
  EXPECT_TRUE(now().encryption);
  wait();
  EXPECT_FALSE(now().encryption);
}

TEST_F(TablesTest, LimitsAreMergedAndTakenAway) {
  create_active(plain_table());
  ASSERT_EQ(fault(limits(1000)), kAccepted);
  api::UpdateTableRequest writes = change();
  writes.on_demand.max_write_units = 500;
  ASSERT_EQ(fault(writes), kAccepted);
  EXPECT_EQ(now().status, Status::kActive);
  ASSERT_EQ(fault(limits(-1)), kAccepted);
  EXPECT_EQ(now().on_demand.max_read_units, -1);
  EXPECT_EQ(now().on_demand.max_write_units, 500);
  wait();
  EXPECT_FALSE(now().on_demand.max_read_units);
  EXPECT_EQ(fault(limits(0)), Fault::kLimitOutOfRange);
  EXPECT_EQ(fault(limits(-2)), Fault::kLimitOutOfRange);
  EXPECT_EQ(fault(limits(40'001)), Fault::kCapacityAboveMaximum);
}

TEST_F(TablesTest, WarmthOnlyGrows) {
  create_active(plain_table());
  EXPECT_EQ(fault(warm(11'999)), Fault::kWarmDecreased);
  ASSERT_EQ(fault(warm(12'001)), kAccepted);
  EXPECT_EQ(now().warm.read_units, 12'000);
  EXPECT_EQ(fault(warm(12'000)), kAccepted);  // not below what it is now
  ASSERT_EQ(fault(warm(13'000)), kAccepted);  // the last one wins
  wait();
  EXPECT_EQ(now().warm.read_units, 13'000);
  EXPECT_EQ(now().warm.write_units, 4'000);
}

}  // namespace
}  // namespace partita::table
