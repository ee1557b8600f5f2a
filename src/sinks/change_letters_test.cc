#include "sinks/change_letters.h"

#include <gtest/gtest.h>

#include "model/item_codec.h"
#include "sinks/dead_letters.h"
#include "sinks/sinks_testing.h"
#include "table/rows/item_rows.h"

namespace partita::sinks {
namespace {

class ChangeLettersTest : public SinksTest {
 protected:
  void SetUp() override {
    create_table("T");
    sink_ = create_changes();
  }
  std::string item(const std::string& text) {
    model::Item made;
    made.set("pk", model::AttributeValue::string("a"));
    made.set("text", model::AttributeValue::string(text));
    return model::encode_item(made);
  }
  Change change(const std::string& old_image, const std::string& new_image, uint8_t position) {
    model::Item key;
    key.set("pk", model::AttributeValue::string("a"));
    if (keys_.empty()) {
      keys_ = model::encode_item(key);
      key_ = table::item_key(*table(), key).bytes;
    }
    Change made;
    made.position.bytes[7] = position;
    made.key = key_;
    made.record = {table::StreamEvent::kModify, true, 77, keys_, old_image, new_image};
    return made;
  }
  table::Table table() { return db().catalog().find("T"); }
  void put_letter(Change made) { ASSERT_TRUE(wait_for(put_change_letter(db(), sink_, 1, made, "why")).ok()); }
  ChangeLetters read(size_t slice = 1) {
    return wait_for(read_change_letters(db(), sink_, *table(), slice, "")).value();
  }

  table::Sink sink_;
  std::string keys_;
  std::string key_;
};

void expect_same(const Change& one, const Change& other) {
  EXPECT_EQ(one.position, other.position);
  EXPECT_EQ(one.key, other.key);
  EXPECT_EQ(one.record.event, other.record.event);
  EXPECT_EQ(one.record.by_service, other.record.by_service);
  EXPECT_EQ(one.record.at_ms, other.record.at_ms);
  EXPECT_TRUE(one.record.keys == other.record.keys);
  EXPECT_TRUE(one.record.old_image == other.record.old_image);
  EXPECT_TRUE(one.record.new_image == other.record.new_image);
}

TEST_F(ChangeLettersTest, ComeBackAsTheyWere) {
  const std::string before = item("before");
  const std::string after = item("after");
  const Change later = change(before, after, 9);
  put_letter(later);
  put_letter(change(after, before, 3));
  const ChangeLetters all = read();
  ASSERT_EQ(all.letters.size(), 2U);
  EXPECT_EQ(all.letters[0].position.bytes[7], 3) << "in the order of their changes";
  expect_same(all.letters[1].change(), later);
  EXPECT_TRUE(read(0).letters.empty());
  EXPECT_TRUE(read(2).letters.empty());
  ASSERT_TRUE(wait_for(erase_change_letter(db(), sink_, all.letters[0])).ok());
  EXPECT_EQ(read().letters.size(), 1U);
}

// Two images of the largest items, whose JSON is longer than an item may be.
TEST_F(ChangeLettersTest, HoldTheLargestImages) {
  std::string text;
  while (text.size() < 390'000) text += "ä\"\\\n";
  const std::string before = item(text);
  const std::string after = item(text + "x");
  const Change large = change(before, after, 1);
  put_letter(large);
  const std::vector<DeadLetter> items = wait_for(read_dead_letters(db(), sink_, "")).value();
  EXPECT_GE(items.size(), 2U);
  const ChangeLetters all = read();
  ASSERT_EQ(all.letters.size(), 1U);
  EXPECT_GE(all.letters[0].parts, 4U);
  expect_same(all.letters[0].change(), large);
  ASSERT_TRUE(wait_for(erase_change_letter(db(), sink_, all.letters[0])).ok());
  EXPECT_TRUE(wait_for(read_dead_letters(db(), sink_, "")).value().empty());
}

// An operator may edit the table.
TEST_F(ChangeLettersTest, PassesOverWhatIsNone) {
  const std::string image = item("x");
  put_letter(change(image, image, 1));
  const auto edited = [&](uint8_t position, const std::function<void(DeadLetter&)>& edit) {
    DeadLetter letter = wait_for(read_dead_letters(db(), sink_, "1-")).value().at(0);
    letter.id[2 + 15] = static_cast<char>('0' + position);
    letter.more.erase("id");
    edit(letter);
    ASSERT_TRUE(wait_for(put_dead_letter(db(), sink_, std::move(letter))).ok());
  };
  edited(2, [](DeadLetter& letter) { letter.more.set("images", model::AttributeValue::string("{")); });
  edited(3, [](DeadLetter& letter) { letter.more.set("images", model::AttributeValue::string(R"({"NewImage":7})")); });
  edited(4, [](DeadLetter& letter) { letter.more.set("event", model::AttributeValue::string("DANCE")); });
  edited(5, [](DeadLetter& letter) { letter.key = {}; });
  edited(6, [](DeadLetter& letter) { letter.id = "1-zz"; });
  edited(7, [](DeadLetter& letter) { letter.more.set("parts", model::AttributeValue::number(model::Number::of(-1))); });
  EXPECT_EQ(wait_for(read_dead_letters(db(), sink_, "")).value().size(), 7U);
  EXPECT_EQ(read().letters.size(), 1U);
}

}  // namespace
}  // namespace partita::sinks
