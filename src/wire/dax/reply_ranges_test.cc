#include <gtest/gtest.h>

#include "model/item_codec.h"
#include "wire/dax/reply_testing.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {
namespace {

using api::CapacityDetail;
using model::Item;

struct Range : ReplyTest {
  api::RangeRequest request;
  api::RangeReply reply;

  Range() {
    request.table = "Tab2";
    reply.consumed.table = "Tab2";
    reply.consumed.base.read = 1;
  }
  void add(Item item, size_t form = 0) {
    if (form == 0) reply.items.emplace_back(model::encode_item(item));
    if (form == 1) {
      const auto kept = std::make_shared<std::string>(model::encode_item(item));
      reply.owners.push_back(kept);
      reply.items.emplace_back(std::string_view(*kept));
    }
    if (form == 2) reply.items.emplace_back(std::move(item));
    reply.count = reply.items.size();
    reply.scanned = 2 * reply.count;
  }
  std::string bytes(size_t* pieces = nullptr) { return in_pieces<RangeEncoder>(request, reply, pieces); }
};

Item row(int number) {
  return item_of({{"pk", text_value("go")},
                  {"sk", number_value(std::to_string(number))},
                  {"v", text_value("v" + std::to_string(number))}});
}

TEST(ReplyRanges, HasTheBytesThatClientsRead) {
  Range range;
  range.add(item_of({{"pk", text_value("p")}, {"sk", number_value("3")}, {"x", text_value("y")}}));
  range.reply.last_key = item_of({{"pk", text_value("p")}, {"sk", number_value("3")}});
  EXPECT_EQ(to_hex(range.bytes()), "80bf078182466170c14e0000451901016179080109466170c14e00000a02ff");
}

TEST(ReplyRanges, OfNothingHasCounts) {
  Range range;
  range.reply.scanned = 7;
  EXPECT_EQ(to_hex(range.bytes()), "80bf078008000a07ff");
}

TEST(ReplyRanges, ACountHasNoItems) {
  Range range;
  range.request.select = api::Select::kCount;
  range.reply.count = 3;
  range.reply.scanned = 300;
  range.request.capacity = CapacityDetail::kTotal;
  const std::string bytes = range.bytes();
  ReplyReader in(bytes, range.tables, range.store);
  in.expect_success();
  in.in().head();
  EXPECT_EQ(in.next_key(), 1);
  EXPECT_EQ(in.capacity().text(), "Tab2 0.5");
  EXPECT_EQ(to_hex(in.in().rest()), "08030a19012cff");
}

// Items of several shapes and forms, mixed.
TEST(ReplyRanges, HasKeysAndValuesInOrder) {
  Range range;
  std::vector<Item> items;
  for (int i = 0; i < 60; ++i) {
    Item item = row(i);
    if (i % 3 == 1) item.set("a", number_value("1"));
    if (i % 4 == 2) item.set("qq", text_value(std::string(static_cast<size_t>(i * i), 'q')));
    if (i % 5 == 3) item.erase("v");
    items.push_back(item);
    range.add(item, static_cast<size_t>(i) % 3);
  }
  const std::string bytes = range.bytes();
  EXPECT_EQ(range.store.loads, 1U);  // for all shapes
  ReplyReader in(bytes, range.tables, range.store);
  in.expect_success();
  in.in().head();
  EXPECT_EQ(in.next_key(), 7);
  auto members = in.in().array();
  EXPECT_FALSE(members.indefinite());
  for (size_t i = 0; in.in().next(members); ++i) {
    EXPECT_EQ(in.in().array().left, 2U);
    EXPECT_EQ(item_text(in.keyed_values("Tab2")), item_text(items.at(i)));
  }
  EXPECT_EQ(in.next_key(), 8);
  EXPECT_EQ(in.in().integer(), 60);
  EXPECT_EQ(in.next_key(), 10);
  EXPECT_EQ(in.in().integer(), 120);
  EXPECT_EQ(in.next_key(), std::nullopt);
  in.expect_end();
}

// Three items alike, then one of another shape: items are compared with the one before as they are stored.
TEST(ReplyRanges, ReadsWhatFollowsAlikeItems) {
  const auto item_of_shape = [](size_t shape, int number) {
    Item item = row(number);
    item.set("b", model::AttributeValue::boolean(number % 2 == 0));
    item.set("n", model::AttributeValue::null());
    item.set(shape == 0 ? "s" : "t", shape == 1   ? number_value("-" + std::to_string(number) + ".5")
                                     : shape == 2 ? text_value(std::string(300, 't'))
                                                  : text_value("t"));
    if (shape == 3) item.set("u", model::AttributeValue::binary("b"));
    if (shape == 4) item.set("u", model::AttributeValue::list({text_value("in a list")}));
    if (shape == 5) item.set("v", model::AttributeValue::binary(std::string(number % 3 == 0 ? 20'000 : 0, 'v')));
    return item;
  };
  Range range;
  std::vector<Item> items;
  for (size_t before = 0; before < 6; ++before) {
    for (size_t shape = 0; shape < 6; ++shape) {
      for (const size_t each : {before, before, before, shape}) {
        items.push_back(item_of_shape(each, static_cast<int>(items.size())));
        range.add(items.back(), items.size() / 3 % 2);
      }
    }
  }
  const std::string bytes = range.bytes();
  ReplyReader in(bytes, range.tables, range.store);
  in.expect_success();
  in.in().head();
  EXPECT_EQ(in.next_key(), 7);
  EXPECT_EQ(in.in().array().left, items.size());
  for (const Item& item : items) {
    in.in().array();
    EXPECT_EQ(item_text(in.keyed_values("Tab2")), item_text(item));
  }
  EXPECT_EQ(in.next_key(), 8);
}

// A damaged item is noticed also if the one before is alike.
TEST(ReplyRanges, NoticesDamageBehindAlikeItems) {
  const std::string stored = model::encode_item(row(7));
  for (size_t size = 0; size < stored.size(); ++size) {
    Range range;
    for (int i = 0; i < 3; ++i) range.add(row(7));
    range.reply.items.emplace_back(stored.substr(0, size));
    EXPECT_EQ(range.bytes(), "error") << size;
    range.reply.items.back() = stored + "x";
    EXPECT_EQ(range.bytes(), "error");
    const std::string damaged = stored.substr(0, size);
    range.reply.items.back() = std::string_view(damaged);
    EXPECT_EQ(range.bytes(), "error") << size;
  }
}

// Sizes on both sides of those that take another head or another way to copy, and names that are longer than a word.
TEST(ReplyRanges, AlikeItemsHaveValuesOfAllSizes) {
  for (const size_t name_bytes : {1, 6, 7, 13, 14, 15, 40, 200}) {
    Range range;
    std::vector<Item> items;
    for (const size_t size : {0, 1, 7, 8, 15, 16, 17, 22, 23, 24, 200, 253, 254, 255, 256, 257, 300, 16'000, 3}) {
      Item item = row(static_cast<int>(size) * 10 - 70);
      item.set("pk", text_value(std::string(size % 1000 + 1, 'k')));
      item.set(std::string(name_bytes, 'n'), model::AttributeValue::binary(std::string(size, 'b')));
      item.set("w" + std::string(name_bytes, 'n'), number_value(std::to_string(size) + "00.25"));
      item.set("x", model::AttributeValue::boolean(size % 2 == 0));
      item.set("z", model::AttributeValue::null());
      items.push_back(item);
      range.add(item, 1);
    }
    const std::string bytes = range.bytes();
    ReplyReader in(bytes, range.tables, range.store);
    in.expect_success();
    in.in().head();
    EXPECT_EQ(in.next_key(), 7);
    EXPECT_EQ(in.in().array().left, items.size());
    for (const Item& item : items) {
      in.in().array();
      EXPECT_EQ(item_text(in.keyed_values("Tab2")), item_text(item));
    }
    EXPECT_EQ(in.next_key(), 8);
  }
}

// Keys of all types, on both sides of the other names.
TEST(ReplyRanges, HasKeysOfAllTypes) {
  using model::Type;
  const std::vector<model::AttributeValue> values = {text_value("v"), number_value("-1.25"),
                                                     model::AttributeValue::binary("\x01\xff")};
  for (const std::string partition : {"a", "y"}) {
    for (const std::string sort : {"", "b", "z"}) {
      for (const auto& partition_value : values) {
        for (const auto& sort_value : values) {
          Range range;
          Item item = item_of({{"m", text_value("m")}, {partition, partition_value}});
          model::KeySchema schema{{{partition, partition_value.type()}}, {}};
          if (!sort.empty()) {
            schema.sort.push_back({sort, sort_value.type()});
            item.set(sort, sort_value);
          }
          range.tables.schemas["Tab2"] = schema;
          for (const size_t form : {0, 1, 2, 1, 1, 1}) range.add(item, form);
          const std::string bytes = range.bytes();
          ReplyReader in(bytes, range.tables, range.store);
          in.expect_success();
          in.in().head();
          EXPECT_EQ(in.next_key(), 7);
          for (auto members = in.in().array(); in.in().next(members);) {
            in.in().array();
            EXPECT_EQ(in.keyed_values("Tab2"), item);
          }
        }
      }
    }
  }
}

TEST(ReplyRanges, ProjectedItemsHaveOrdinals) {
  Range range;
  range.request.projection = expr::Projection::of_columns({{"0", {"x", {}}}, {"1", {"n", {}}}});
  range.add(item_of({{"1", number_value("4")}}), 0);
  range.add(item_of({{"0", text_value("y")}, {"1", number_value("5")}}), 2);
  range.add(Item(), 2);
  EXPECT_EQ(to_hex(range.bytes()), "80bf0783a10104a20061790105a008030a06ff");
}

TEST(ReplyRanges, APageOfAnIndexEndsWithACompoundKey) {
  Range range;
  range.request.index = "ix";
  const Item last = item_of({{"other", text_value("o")}, {"pk", text_value("p")}, {"sk", number_value("3")}});
  range.reply.last_key = last;
  range.add(item_of({{"other", text_value("o")}, {"pk", text_value("p")}, {"sk", number_value("3")}}), 1);
  const std::string bytes = range.bytes();
  ReplyReader in(bytes, range.tables, range.store);
  in.expect_success();
  in.in().head();
  EXPECT_EQ(in.next_key(), 7);
  in.in().array();
  in.in().array();
  EXPECT_EQ(in.keyed_values("Tab2"), std::get<Item>(api::FoundItem(last)));
  EXPECT_EQ(in.next_key(), 8);
  in.in().integer();
  EXPECT_EQ(in.next_key(), 9);
  EXPECT_EQ(in.compound_key(), last);
}

TEST(ReplyRanges, AreWrittenInPieces) {
  Range range;
  std::vector<Item> items;
  for (int i = 0; i < 300; ++i) {
    Item item = row(i);
    item.set("w", text_value(std::string(1000, 'w')));
    items.push_back(item);
    range.add(item, 1);
  }
  size_t pieces = 0;
  const std::string bytes = range.bytes(&pieces);
  EXPECT_EQ(pieces, 4U);
  ReplyReader in(bytes, range.tables, range.store);
  in.expect_success();
  in.in().head();
  in.next_key();
  in.in().array();
  for (const Item& item : items) {
    in.in().array();
    EXPECT_EQ(in.keyed_values("Tab2"), item);
  }
}

// A page may have more shapes than a thread knows; each is loaded, thousands at a time.
TEST(ReplyRanges, EachItemMayHaveNamesOfItsOwn) {
  constexpr int kItems = 20'000;
  Range range;
  for (int i = 0; i < kItems; ++i) {
    range.add(item_of({{"n" + std::to_string(i), number_value("1")},
                       {"pk", text_value("p")},
                       {"sk", number_value(std::to_string(i))}}));
  }
  const std::string bytes = range.bytes();
  EXPECT_LE(range.store.loads, 12U);
  EXPECT_LE(range.encoding.missing.loaded.size(), 5000U);
  ReplyReader in(bytes, range.tables, range.store);
  in.expect_success();
  in.in().head();
  in.next_key();
  EXPECT_EQ(in.in().array().left, static_cast<uint64_t>(kItems));
  for (int i = 0; i < kItems; ++i) {
    in.in().array();
    EXPECT_TRUE(in.keyed_values("Tab2").contains("n" + std::to_string(i)));
  }
  EXPECT_EQ(in.next_key(), 8);
}

TEST(ReplyRanges, RefuseItemsThatTheSchemaDoesNotFit) {
  Range range;
  range.add(item_of({{"pk", text_value("p")}}));
  EXPECT_EQ(range.bytes(), "error");
  range.reply.items.clear();
  range.add(item_of({{"pk", text_value("p")}, {"sk", text_value("not a number")}}));
  EXPECT_EQ(range.bytes(), "error");
  range.reply.items.clear();
  range.reply.last_key = item_of({{"pk", text_value("p")}, {"sk", text_value("not a number")}});
  EXPECT_EQ(range.bytes(), "error");
  range.request.table = "gone";
  EXPECT_EQ(range.bytes(), "error");
}

}  // namespace
}  // namespace partita::wire::dax
