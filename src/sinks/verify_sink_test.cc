#include "sinks/verify_sink.h"

#include <gtest/gtest.h>

#include <string>

#include "sinks/sinks_testing.h"

namespace partita::sinks {
namespace {

class VerifySink : public SinksTest {
 protected:
  SinkVerifier verifier() {
    const DestinationFactory factory = other_.factory(nullptr);
    return {"T", "memory", [factory](std::string_view) { return Result<DestinationFactory>(factory); }};
  }
  // No database is open while the other end is asked.
  SinkComparison verified() {
    SinkVerifier all = verifier();
    for (reads_ = 0; reads_ < 100; ++reads_) {
      const auto more = wait_for(all.read(db()));
      EXPECT_TRUE(more.ok()) << more.error().sentence();
      if (!more.ok() || !*more) break;
      close_all();
      const auto compared = all.compare();
      EXPECT_TRUE(compared.ok()) << compared.error().sentence();
    }
    return all.found();
  }
  int reads_ = 0;
};

TEST_F(VerifySink, LooksAtEveryItemWithoutHoldingTheDatabase) {
  create_table("T");
  for (int i = 0; i < 1'200; ++i) put("T", "item" + std::to_string(i), 1);
  auto server = serve();
  create();
  wait_until_carried();
  server.reset();
  SinkComparison found = verified();
  EXPECT_EQ(found.items, 1'200U);
  EXPECT_EQ(found.documents, 1'200U);
  EXPECT_EQ(found.different, 0U);
  EXPECT_GE(reads_, 3);
  for (int i = 0; i < 100; ++i) put("T", "item" + std::to_string(i), 2);
  put("T", "new", 1);
  erase("T", "item1000");
  found = verified();
  EXPECT_EQ(found.items, 1'200U);
  EXPECT_EQ(found.different, 101U) << "an item that is gone is seen by the number of documents alone";
  EXPECT_EQ(found.ids.size(), 20U);
}

TEST_F(VerifySink, CountsWhatIsRejectedApart) {
  create_table("T");
  put("T", "good", 1);
  put("T", "new", 1, true);
  auto server = serve();
  create();
  wait_until_carried();
  put("T", "good", 2, true);
  wait_until_carried();
  server.reset();
  SinkComparison found = verified();
  EXPECT_EQ(found.items, 2U);
  EXPECT_EQ(found.documents, 1U);
  EXPECT_EQ(found.different, 0U);
  EXPECT_EQ(found.rejected, 2U);
  EXPECT_TRUE(found.ids.empty());
  put("T", "other", 1);
  found = verified();
  EXPECT_EQ(found.different, 1U);
  EXPECT_EQ(found.rejected, 2U);
}

TEST_F(VerifySink, SaysWhatKeepsIt) {
  create_table("T");
  create();
  SinkVerifier early = verifier();
  const auto filling = wait_for(early.read(db()));
  ASSERT_FALSE(filling.ok());
  EXPECT_EQ(filling.error().kind(), ErrorKind::kInvalid);
  const auto server = serve();
  put("T", "a", 1);
  wait_until_carried();
  SinkVerifier late = verifier();
  ASSERT_TRUE(wait_for(late.read(db())).value());
  other_.down = true;
  const auto down = late.compare();
  ASSERT_FALSE(down.ok());
  EXPECT_EQ(down.error().kind(), ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace partita::sinks
