#include "sinks/sender.h"

#include <gtest/gtest.h>

#include "sinks/dead_letters.h"
#include "sinks/sinks_testing.h"
#include "table/rows/item_rows.h"

namespace partita::sinks {
namespace {

class SenderTest : public SinksTest {
 protected:
  // Keys for several requests.
  std::vector<std::string> many_keys() {
    create_table("T");
    sink_ = create();
    table_ = db().catalog().find("T");
    std::vector<std::string> keys;
    for (int i = 0; i < 15'000; ++i) {
      model::Item key;
      key.set("pk", model::AttributeValue::string(std::to_string(i)));
      keys.push_back(table::item_key(*table_, key).bytes);
    }
    destination_ = other_.factory(nullptr)({}, {}).value();
    EXPECT_TRUE(destination_->prepare(sink_.generation).ok());
    return keys;
  }
  Sender sender(std::function<bool()> halted) {
    return Sender(db(), workers_, *destination_, backlog_, sink_, table_, std::move(halted));
  }

  Workers workers_{1};
  Backlog backlog_{*engine_, 1, 1};
  table::Sink sink_;
  table::Table table_;
  std::unique_ptr<Destination> destination_;
};

TEST_F(SenderTest, AsksBetweenRequestsWhetherToGoOn) {
  const std::vector<std::string> keys = many_keys();
  Sender one = sender([&] { return other_.requests == 2; });
  const Sent sent = wait_for(one.send_keys(keys, INT64_MAX)).value();
  ASSERT_EQ(other_.requests, 2u);
  EXPECT_TRUE(sent.trouble.empty());
  EXPECT_EQ(sent.sent, other_.documents);
  EXPECT_EQ(sent.sent + sent.later.size(), keys.size());
  EXPECT_EQ(sent.later.back(), keys.back());
}

TEST_F(SenderTest, BeginsNoSecondRequestWhenTheTimeIsOver) {
  const std::vector<std::string> keys = many_keys();
  Sender one = sender([] { return false; });
  const Sent sent = wait_for(one.send_keys(keys, 0)).value();
  EXPECT_EQ(other_.requests, 1u);
  EXPECT_EQ(sent.sent + sent.later.size(), keys.size());
}

TEST_F(SenderTest, LeavesDeadLettersForLater) {
  std::vector<std::string> keys = many_keys();
  keys.resize(20);
  for (int i = 0; i < 20; ++i) put("T", std::to_string(i), 1, true);
  int asked = 0;
  Sender one = sender([&] { return ++asked > 5; });
  const Sent sent = wait_for(one.send_keys(keys, INT64_MAX)).value();
  EXPECT_EQ(sent.rejected, 5u);
  EXPECT_EQ(sent.later.size(), 15u);
  EXPECT_EQ(wait_for(read_dead_letters(db(), sink_, "")).value().size(), 5u);
}

}  // namespace
}  // namespace partita::sinks
