#include "table/items/transact.h"
#include "table/open/table_testing.h"

namespace partita::table {
namespace {

using Kind = api::WriteAction::Kind;

// A table with a local index, whose collections may hold little.
class CollectionTest : public TableTest {
 protected:
  CollectionTest() {
    options_.max_collection_bytes = 20'000;
    reopen();
    api::CreateTableRequest request = plain_table();
    request.definitions.push_back({"at", model::Type::kN});
    api::IndexRequest index = index_request("by_at", {hash("pk"), range("at")}, api::ProjectionKind::kKeysOnly);
    index.global = false;
    request.local_indexes = {index};
    create(request);
    create(plain_table("Free"));
  }

  Item row(const std::string& partition, int64_t number, size_t bytes) {
    return item({{"pk", s(partition)}, {"sk", n(number)}, {"at", n(number)}, {"data", s(std::string(bytes, 'x'))}});
  }
  Item key(const std::string& partition, int64_t number) { return item({{"pk", s(partition)}, {"sk", n(number)}}); }
  // How many items of 1,000 bytes the collection takes before it refuses one.
  int fill(const std::string& table, const std::string& partition, int most) {
    for (int i = 0; i < most; ++i) {
      const auto written = write(Kind::kPut, table, row(partition, i, 1000));
      if (written.ok()) continue;
      EXPECT_EQ(model::fault_of(written.error()), Fault::kCollectionTooLarge);
      return i;
    }
    return most;
  }
};

TEST_F(CollectionTest, AFullCollectionRefusesToGrowAndOthersDoNot) {
  const int taken = fill("T", "full", 100);
  EXPECT_GT(taken, 5);
  EXPECT_LT(taken, 25);
  EXPECT_EQ(rows("T").size(), static_cast<size_t>(taken));
  EXPECT_TRUE(write(Kind::kPut, "T", row("other", 1, 1000)).ok());
  // What does not grow is taken, and what shrinks makes room.
  EXPECT_TRUE(write(Kind::kPut, "T", row("full", 0, 1000)).ok());
  for (int i = 0; i < taken; ++i) EXPECT_TRUE(write(Kind::kDelete, "T", key("full", i)).ok());
  EXPECT_TRUE(write(Kind::kPut, "T", row("full", 1, 1000)).ok());
  expect_consistent("T");
}

TEST_F(CollectionTest, BatchesAndTransactionsAreHeldToItToo) {
  const int taken = fill("T", "full", 100);
  api::WriteAction growing;
  growing.item = model::encode_item(row("full", taken, 1000));
  api::BatchWriteRequest writes;
  writes.parts.push_back({"T", {growing}});
  const auto batch = carry_out(db(), writes);
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(model::fault_of(batch.error()), Fault::kCollectionTooLarge);
  api::TransactWriteRequest request;
  request.parts.push_back({"T", growing});
  const auto transaction = carry_out(db(), request);
  ASSERT_FALSE(transaction.ok());
  EXPECT_EQ(model::fault_of(transaction.error()), Fault::kTransactionCancelled);
  EXPECT_EQ(rows("T").size(), static_cast<size_t>(taken));
}

TEST_F(CollectionTest, WithoutALocalIndexACollectionGrows) { EXPECT_EQ(fill("Free", "p", 100), 100); }

}  // namespace
}  // namespace partita::table
