// A database of which rows are lost, as a salvage leaves it, and what the repair makes of it.
#include "table/maintenance/repair_store.h"

#include <algorithm>

#include "base/bytes.h"
#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/catalog/attribute_lists.h"
#include "table/catalog/catalog.h"
#include "table/catalog/second_copies.h"
#include "table/control/policy.h"
#include "table/maintenance/full_store_testing.h"
#include "table/maintenance/verify_store.h"
#include "table/rows/item_rows.h"
#include "table/rows/stream_record.h"
#include "table/rows/stream_rows.h"
#include "table/rows/system_rows.h"

namespace partita::table {
namespace {

using storage::Key;

class RepairTest : public FullStoreTest {
 protected:
  Key key_of_item(int i) const { return item_key(table(), row(i)); }
  void lose_table(const std::string& name, bool both) {
    erase(table_key(name));
    if (both) erase(second_copy(table_key(name)));
  }

  Repaired repair(RepairOptions options = {}) {
    options.now_ms = clock_.now_ms();
    auto repaired = repair_store(engine_, options);
    EXPECT_TRUE(repaired.ok()) << repaired.error().sentence();
    return repaired.ok() ? std::move(*repaired) : Repaired{};
  }
  void expect_well() {
    const auto report = verify_store(engine_, {});
    ASSERT_TRUE(report.ok()) << report.error().sentence();
    for (const Verified& one : *report) {
      EXPECT_EQ(one.differences, 0u) << one.table << ": " << one.named.front();
    }
  }
  static bool says(const std::vector<std::string>& sentences, std::string_view part) {
    return std::ranges::any_of(sentences, [&](const std::string& one) { return one.contains(part); });
  }
};

TEST_F(RepairTest, LeavesASoundStoreAsItIs) {
  const Repaired repaired = repair();
  EXPECT_TRUE(repaired.losses.empty()) << repaired.losses.front();
  EXPECT_TRUE(repaired.mended.empty()) << repaired.mended.front();
  expect_well();
}

TEST_F(RepairTest, RemovesTheRowsOfLostItemsAndNamesThem) {
  for (const int i : {6, 12}) erase(key_of_item(i));
  const Repaired repaired = repair();
  EXPECT_TRUE(says(repaired.losses, "Table T: 2 items of 24 are lost.")) << repaired.losses.front();
  EXPECT_TRUE(says(repaired.losses, "Table T: the item with pk = \"p2\", sk = 6 is lost."));
  EXPECT_TRUE(says(repaired.losses, "Table T: the item with pk = \"p0\", sk = 12 is lost."));
  EXPECT_FALSE(holds(row_of("all", 6)));
  EXPECT_FALSE(holds(row_of("local", 6)));
  expect_well();
  open();
  expect_consistent("T");
}

TEST_F(RepairTest, MakesLostRowsOfIndexesAndExpiryAgain) {
  erase(row_of("all", 6));
  erase(row_of("local", 7));
  erase(expiry_of_item(9));
  const Repaired repaired = repair();
  EXPECT_TRUE(repaired.losses.empty());
  EXPECT_TRUE(holds(row_of("all", 6)));
  EXPECT_TRUE(holds(row_of("local", 7)));
  EXPECT_TRUE(holds(expiry_of_item(9)));
  expect_well();
}

TEST_F(RepairTest, TellsTheStreamOfWhatIsLost) {
  erase(key_of_item(6));
  repair();
  const auto entries = wait_for(engine_.read_log(topic(), {}, 1'000, 1 << 20)).value();
  const auto last = decode_entry(entries.back().entry).value();
  const auto& record = std::get<ItemRecord>(last);
  EXPECT_EQ(record.event, StreamEvent::kRemove);
  EXPECT_EQ(record.keys, encoded(key(6)));
  EXPECT_EQ(record.old_image, encoded(row(6)));
}

TEST_F(RepairTest, CorrectsALargeStreamAPartAtATime) {
  for (const int i : {6, 7, 12}) erase(key_of_item(i));
  RepairOptions options;
  options.stream_bytes = 5'000;
  EXPECT_TRUE(says(repair(options).mended, "its stream got 3 records of what is lost"));
  expect_well();
  EXPECT_FALSE(says(repair(options).mended, "its stream got"));
}

TEST_F(RepairTest, RestoresTheCatalogueFromItsSecondCopy) {
  for (const char* name : {"T", "U"}) lose_table(name, false);
  erase(system_key(SystemRow::kNextId));
  erase(stream_row_key("T", table().stream.label));
  AttributeLists lists(engine_);
  const auto list = wait_for(lists.store({"n"}));
  ASSERT_TRUE(list.ok());
  erase(attribute_list_key((*list)->id));
  const Repaired repaired = repair();
  EXPECT_TRUE(repaired.losses.empty());
  EXPECT_TRUE(says(repaired.mended, "5 rows were lost and restored from the second copy"));
  expect_well();
  open();
  EXPECT_EQ(rows("T").size(), size_t{kLeft});
  EXPECT_EQ(rows("T", "all").size(), size_t{kLeft} / 2);
}

TEST_F(RepairTest, DescribesATableAnewByItsItems) {
  lose_table("U", true);
  erase(system_key(SystemRow::kNextId));
  erase(second_copy(system_key(SystemRow::kNextId)));
  RepairOptions options;
  options.lost_changes = true;
  const Repaired repaired = repair(options);
  const std::string name = "recovered-" + std::to_string(id_of_u());
  EXPECT_TRUE(says(repaired.losses, "Table " + name + ": its description was lost"));
  expect_well();
  open();
  ASSERT_NE(find(name), nullptr);
  EXPECT_EQ(find(name)->keys, table().keys);
  EXPECT_EQ(rows(name), std::vector<Item>{row(1)});
  EXPECT_GT(create(plain_table("V"))->id, id_of_u());
}

TEST_F(RepairTest, RemovesTheRowsOfATableThatWasDropped) {
  lose_table("U", true);
  const Repaired repaired = repair();
  EXPECT_TRUE(repaired.losses.empty());
  EXPECT_TRUE(says(repaired.mended, "Rows of a table that was dropped"));
}

TEST_F(RepairTest, NamesBetweenWhichItemsSomethingIsLost) {
  std::vector<Key> keys;
  for (int i = 0; i < kItems; ++i) {
    if (holds(key_of_item(i))) keys.push_back(key_of_item(i));
  }
  std::ranges::sort(keys);
  erase(keys[5]);
  erase(base_count_key(table().id));
  RepairOptions options;
  options.rows = {{keys[4].bytes, keys[6].bytes}, {base_count_key(0).bytes, base_count_key(UINT32_MAX).bytes}};
  const Repaired repaired = repair(options);
  EXPECT_TRUE(says(repaired.losses, "Table T: items between pk = \"p")) << repaired.losses.front();
  for (const std::string& one : repaired.losses) EXPECT_FALSE(one.contains("Table U")) << one;
}

TEST_F(RepairTest, ANewTableHasAnIdThatNoRowCarries) {
  lose_table("U", true);
  erase(system_key(SystemRow::kNextId));
  open();
  const Table made = create(plain_table("V"));
  EXPECT_GT(made->id, id_of_u());
  EXPECT_TRUE(rows("V").empty());
}

TEST_F(RepairTest, AnOlderStoreGetsItsSecondCopies) {
  ASSERT_TRUE(wait_for(engine_.erase_range(second_copies())).ok());
  open();
  close();
  EXPECT_TRUE(holds(second_copy(table_key("T"))));
  EXPECT_EQ(wait_for(differing_second_copies(engine_)).value(), 0u);
  // A version that knows nothing of them changes the catalogue.
  std::string revision;
  append_u64(revision, 1'000);
  store(system_key(SystemRow::kRevision), revision);
  erase(table_key("U"));
  EXPECT_GT(wait_for(differing_second_copies(engine_)).value(), 0u);
  open();
  close();
  EXPECT_FALSE(holds(second_copy(table_key("U"))));
  EXPECT_EQ(wait_for(differing_second_copies(engine_)).value(), 0u);
}

// A change of a policy leaves the revision as it is.
TEST_F(RepairTest, APolicyOfAnOlderVersionGetsItsSecondCopy) {
  store(policy_key(table().id, {}), "as an older version put it");
  EXPECT_EQ(wait_for(differing_second_copies(engine_)).value(), 1u);
  open();
  close();
  EXPECT_TRUE(holds(second_copy(policy_key(table().id, {}))));
  EXPECT_EQ(wait_for(differing_second_copies(engine_)).value(), 0u);
}

}  // namespace
}  // namespace partita::table
