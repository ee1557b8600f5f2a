#include "sinks/change_letters.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

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
    return wait_for(read_change_letters(db(), workers_, sink_, *table(), slice, "")).value();
  }

  // Puts the first letter again with another position, after `edit`.
  void put_edited(uint8_t position, const std::function<void(DeadLetter&)>& edit) {
    DeadLetter letter = wait_for(read_dead_letters(db(), sink_, "1-")).value().at(0);
    letter.id[2 + 15] = static_cast<char>('0' + position);
    letter.more.erase("id");
    edit(letter);
    ASSERT_TRUE(wait_for(put_dead_letter(db(), sink_, std::move(letter))).ok());
  }
  // The first letter.
  bool is_delivered() { return wait_for(read_dead_letters(db(), sink_, "")).value().at(0).more.contains("delivered"); }
  size_t rows() { return wait_for(read_dead_letters(db(), sink_, "")).value().size(); }

  Workers workers_{1};
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

// An operator may edit the table, and others may write to it.
TEST_F(ChangeLettersTest, RefusesWhatIsNone) {
  const std::string image = item("x");
  put_letter(change(image, image, 1));
  const auto number = [](int64_t value) { return model::AttributeValue::number(model::Number::of(value)); };
  const auto images = [&](uint8_t position, const std::string& text) {
    put_edited(position, [&](DeadLetter& letter) { letter.more.set("images", model::AttributeValue::string(text)); });
  };
  images(2, "{");
  images(3, R"({"NewImage":7})");
  put_edited(4, [](DeadLetter& letter) { letter.more.set("event", model::AttributeValue::string("DANCE")); });
  put_edited(5, [](DeadLetter& letter) { letter.key = {}; });
  put_edited(6, [](DeadLetter& letter) { letter.id = "1-zz"; });
  put_edited(7, [&](DeadLetter& letter) { letter.more.set("parts", number(-1)); });
  images(8, R"({"NewImage":{"pk":{"S":"a"}},"OldImage":{"pk":{"S":"b"}}})");
  images(9, R"({"NewImage":{"pk":{"S":"a"}}})");
  EXPECT_EQ(rows(), 9U);
  const ChangeLetters all = read();
  EXPECT_EQ(all.letters.size(), 1U);
  EXPECT_EQ(all.refused.size(), 8U);
  EXPECT_TRUE(all.refused[0].starts_with("The dead letter 1-")) << all.refused[0];
  EXPECT_TRUE(all.refused[0].ends_with("are not those of the change.")) << all.refused[0];
  EXPECT_EQ(rows(), 9U) << "they are left where they are";
}

// Many parts that are all there, or large ones.
TEST_F(ChangeLettersTest, BoundsItsParts) {
  const std::string image = item("x");
  put_letter(change(image, image, 1));
  const auto parts = [&](uint8_t position, int64_t count, const std::string& piece) {
    put_edited(position, [&](DeadLetter& letter) {
      letter.more.set("parts", model::AttributeValue::number(model::Number::of(count)));
      for (int64_t part = 2; part <= count; ++part) {
        DeadLetter more;
        more.id = letter.id + "/" + std::to_string(part);
        more.more.set("images", model::AttributeValue::string(piece));
        ASSERT_TRUE(wait_for(put_dead_letter(db(), sink_, std::move(more))).ok());
      }
    });
  };
  parts(2, static_cast<int64_t>(kMostLetterParts), " ");
  EXPECT_EQ(read().letters.size(), 2U);
  parts(3, static_cast<int64_t>(kMostLetterParts) + 1, " ");
  EXPECT_EQ(read().letters.size(), 2U);
  EXPECT_EQ(read().refused.size(), 1U);
  parts(4, 2, std::string(kLetterPieceBytes, ' '));
  EXPECT_EQ(read().letters.size(), 3U);
  parts(5, 2, std::string(kLetterPieceBytes + 1, ' '));
  EXPECT_EQ(read().letters.size(), 3U);
  EXPECT_EQ(read().refused.size(), 2U);
}

// Not more at once than memory has room for.
TEST_F(ChangeLettersTest, ReadsSomeAtATime) {
  const std::string image = item(std::string(300'000, 'x'));
  constexpr uint8_t kLetters = 60;
  for (uint8_t i = 1; i <= kLetters; ++i) put_letter(change(image, image, i));
  std::string after;
  size_t found = 0;
  do {
    const ChangeLetters some =
        wait_for(read_change_letters(db(), workers_, sink_, *table(), 1, std::exchange(after, {}))).value();
    size_t bytes = 0;
    for (const ChangeLetter& one : some.letters) bytes += one.bytes();
    EXPECT_LT(bytes, size_t{17} << 20);
    EXPECT_TRUE(some.refused.empty());
    found += some.letters.size();
    after = some.last;
  } while (!after.empty());
  EXPECT_EQ(found, kLetters);
}

TEST_F(ChangeLettersTest, LeavesALetterWithoutOneOfItsParts) {
  const std::string large = item(std::string(390'000, 'x'));
  put_letter(change(large, large, 1));
  const ChangeLetter letter = read().letters.at(0);
  ASSERT_EQ(letter.parts, 3U);
  ASSERT_TRUE(wait_for(erase_dead_letter(db(), sink_, letter.id + "/2")).ok());
  const ChangeLetters all = read();
  EXPECT_TRUE(all.letters.empty());
  EXPECT_EQ(all.refused.size(), 1U);
  EXPECT_EQ(rows(), 2U);
}

// Whatever was removed of it before the server was killed.
TEST_F(ChangeLettersTest, RemovesTheRestOfOneThatWasDelivered) {
  const std::string large = item(std::string(390'000, 'x'));
  for (int64_t calls = 0;; ++calls) {
    put_letter(change(large, large, 1));
    const ChangeLetter letter = read().letters.at(0);
    ASSERT_EQ(rows(), 3U);
    CutEngine engine(*engine_);
    {
      const auto server = serve(engine, options_);
      ASSERT_NE(server, nullptr);
      engine.left = calls;
      if (wait_for(erase_change_letter(*server, sink_, letter)).ok()) break;
      engine.left = 0;
    }
    const bool begun = rows() < 3 || is_delivered();
    EXPECT_EQ(read().letters.size(), begun ? 0U : 1U);
    EXPECT_EQ(rows(), begun ? 0U : 3U);
  }
  EXPECT_EQ(rows(), 0U);
}

// Also if it was found under another id, such as that of an earlier sink of the name.
TEST_F(ChangeLettersTest, AreReplacedInTheirPlace) {
  const std::string large = item(std::string(390'000, 'x'));
  table::Sink earlier = sink_;
  earlier.id = "earlier";
  ASSERT_TRUE(wait_for(put_change_letter(db(), earlier, 1, change(large, large, 1), "why")).ok());
  ChangeLetter letter = read().letters.at(0);
  ASSERT_TRUE(wait_for(replace_change_letter(db(), sink_, letter, "again")).ok());
  EXPECT_EQ(rows(), 3U);
  EXPECT_EQ(read().letters.at(0).id, letter.id);
  EXPECT_EQ(wait_for(read_dead_letters(db(), sink_, "")).value()[0].more.find("reason")->as_string(), "again");
  // It has fewer parts than it said.
  const std::string small = item("x");
  letter.new_image = letter.old_image = small;
  ASSERT_TRUE(wait_for(replace_change_letter(db(), sink_, letter, "again")).ok());
  EXPECT_EQ(rows(), 1U);
}

}  // namespace
}  // namespace partita::sinks
