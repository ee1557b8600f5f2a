#include <gtest/gtest.h>

#include "model/item_codec.h"
#include "wire/dax/reply_testing.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {
namespace {

using api::CapacityDetail;
using api::WriteAction;
using model::Item;

Item key_of(std::string_view table, int number) {
  Item key = item_of({{"pk", text_value("p" + std::to_string(number))}});
  if (table == "Tab2") key.set("sk", number_value(std::to_string(number)));
  return key;
}

Item item_with(Item key, std::string value) {
  key.set("v", text_value(std::move(value)));
  return key;
}

api::ReadItem found(Item item, size_t form = 0) {
  api::ReadItem read;
  if (form == 0) read.item = model::encode_item(item);
  if (form == 1) read.item = std::move(item);
  return read;
}

api::ConsumedCapacity units(std::string_view table, model::HalfUnits read, model::HalfUnits write) {
  api::ConsumedCapacity consumed;
  consumed.table = table;
  consumed.base = {read, write};
  return consumed;
}

struct BatchGet : ReplyTest {
  api::BatchGetRequest request;
  api::BatchGetReply reply;

  void add_part(std::string table) {
    request.parts.push_back({table, {key_of(table, 0), key_of(table, 1), key_of(table, 2)}, {}, false});
    reply.parts.emplace_back();
    reply.parts.back().consumed = units(request.parts.back().table == "Tab1" ? "Tab1" : "Tab2", 2, 0);
  }
  std::string bytes(size_t* pieces = nullptr) { return in_pieces<BatchGetEncoder>(request, reply, pieces); }
};

TEST(ReplyBatches, GetOfNothingNamesItsTable) {
  BatchGet get;
  get.add_part("Tab1");
  get.reply.parts[0].items.resize(3);
  EXPECT_EQ(to_hex(get.bytes()), "8082a1645461623180a164546162318080");
}

TEST(ReplyBatches, GetHasItemsOfAllTables) {
  BatchGet get;
  get.add_part("Tab1");
  get.add_part("Tab2");
  get.request.capacity = CapacityDetail::kIndexes;
  get.reply.parts[0].items = {
      found(item_with(key_of("Tab1", 0), "a")), {}, found(item_with(key_of("Tab1", 2), "b"), 1)};
  get.reply.parts[1].items = {found(key_of("Tab2", 1))};
  get.reply.parts[1].unprocessed = {0, 2};
  const std::string bytes = get.bytes();
  EXPECT_EQ(get.store.loads, 1U);
  ReplyReader in(bytes, get.tables, get.store);
  in.expect_success();
  EXPECT_EQ(in.in().array().left, 2U);
  EXPECT_EQ(in.in().map().left, 2U);
  EXPECT_EQ(in.in().text(), "Tab1");
  EXPECT_EQ(in.in().array().left, 4U);
  EXPECT_EQ(in.keyed_values("Tab1"), item_with(key_of("Tab1", 0), "a"));
  EXPECT_EQ(in.keyed_values("Tab1"), item_with(key_of("Tab1", 2), "b"));
  EXPECT_EQ(in.in().text(), "Tab2");
  EXPECT_EQ(in.in().array().left, 2U);
  EXPECT_EQ(in.keyed_values("Tab2"), key_of("Tab2", 1));
  EXPECT_EQ(in.in().map().left, 2U);
  EXPECT_EQ(in.in().text(), "Tab1");
  EXPECT_EQ(in.in().array().left, 0U);
  EXPECT_EQ(in.in().text(), "Tab2");
  EXPECT_EQ(in.in().array().left, 2U);
  EXPECT_EQ(in.key("Tab2"), key_of("Tab2", 0));
  EXPECT_EQ(in.key("Tab2"), key_of("Tab2", 2));
  EXPECT_EQ(in.in().array().left, 2U);
  EXPECT_EQ(in.capacity().text(), "Tab1 1.0 table 1.0");
  EXPECT_EQ(in.capacity().text(), "Tab2 1.0 table 1.0");
  in.expect_end();
}

TEST(ReplyBatches, GetHasOneCapacityForATable) {
  BatchGet get;
  get.add_part("Tab1");
  get.add_part("arn:of:Tab1");
  get.tables.schemas["arn:of:Tab1"] = get.tables.schemas["Tab1"];
  get.reply.parts[1].consumed = units("Tab1", 3, 0);
  get.request.capacity = CapacityDetail::kTotal;
  const std::string bytes = get.bytes();
  ReplyReader in(bytes, get.tables, get.store);
  in.expect_success();
  in.in().array();
  in.in().skip();
  in.in().skip();
  EXPECT_EQ(in.in().array().left, 1U);
  EXPECT_EQ(in.capacity().text(), "Tab1 2.5");
  in.expect_end();
}

TEST(ReplyBatches, ProjectedItemsHaveOrdinals) {
  BatchGet get;
  get.add_part("Tab1");
  get.request.parts[0].projection = expr::Projection::of_columns({{"0", {"v", {}}}});
  get.reply.parts[0].items = {found(item_of({{"0", text_value("a")}}), 0), {}, found(Item(), 1)};
  EXPECT_EQ(to_hex(get.bytes()), "8082a1645461623182a1006161a0a164546162318080");
}

// Pieces may end anywhere, and lists be missing on both sides of it.
TEST(ReplyBatches, GetIsWrittenInPieces) {
  BatchGet get;
  get.add_part("Tab1");
  get.add_part("Tab2");
  std::vector<Item> items;
  for (int i = 0; i < 100; ++i) {
    const size_t part = i < 50 ? 0 : 1;
    Item item = item_with(key_of(get.request.parts[part].table, i), std::string(5000, 'v'));
    item.set("x" + std::to_string(i), number_value("1"));
    items.push_back(item);
    get.reply.parts[part].items.push_back(found(item));
  }
  size_t pieces = 0;
  const std::string bytes = get.bytes(&pieces);
  EXPECT_EQ(pieces, 7U);
  EXPECT_EQ(get.store.loads, 8U);
  ReplyReader in(bytes, get.tables, get.store);
  in.expect_success();
  in.in().array();
  in.in().map();
  for (size_t i = 0; i < 100; ++i) {
    if (i == 0 || i == 50) {
      in.in().text();
      EXPECT_EQ(in.in().array().left, 100U);
    }
    EXPECT_EQ(in.keyed_values(i < 50 ? "Tab1" : "Tab2"), items[i]);
  }
}

struct BatchWrite : ReplyTest {
  api::BatchWriteRequest request;
  api::WritesReply reply;

  void add(const std::string& table, int number, WriteAction::Kind kind) {
    if (request.parts.empty() || request.parts.back().table != table) request.parts.push_back({table, {}});
    WriteAction action;
    action.kind = kind;
    if (kind == WriteAction::Kind::kPut) action.item = model::encode_item(item_with(key_of(table, number), "v"));
    if (kind == WriteAction::Kind::kDelete) action.key = key_of(table, number);
    request.parts.back().actions.push_back(std::move(action));
  }
  std::string bytes() {
    return whole([&](CborWriter& out) { return encode_batch_write(out, request, reply, encoding); });
  }
};

TEST(ReplyBatches, WriteOfAll) {
  BatchWrite write;
  write.add("Tab1", 0, WriteAction::Kind::kPut);
  EXPECT_EQ(to_hex(write.bytes()), "80a080a0");
}

TEST(ReplyBatches, WriteReturnsWhatIsUnprocessed) {
  BatchWrite write;
  write.add("Tab1", 0, WriteAction::Kind::kPut);
  write.add("Tab1", 1, WriteAction::Kind::kDelete);
  write.add("gone", 2, WriteAction::Kind::kPut);
  write.add("Tab2", 3, WriteAction::Kind::kDelete);
  write.add("Tab2", 4, WriteAction::Kind::kPut);
  write.reply.unprocessed = {1, 3, 4};
  const std::string bytes = write.bytes();
  ReplyReader in(bytes, write.tables, write.store);
  in.expect_success();
  EXPECT_EQ(in.in().map().left, 2U);
  EXPECT_EQ(in.in().text(), "Tab1");
  EXPECT_EQ(in.in().array().left, 2U);
  EXPECT_EQ(in.key("Tab1"), key_of("Tab1", 1));
  EXPECT_TRUE(in.in().take_null());
  EXPECT_EQ(in.in().text(), "Tab2");
  EXPECT_EQ(in.in().array().left, 4U);
  EXPECT_EQ(in.key("Tab2"), key_of("Tab2", 3));
  EXPECT_TRUE(in.in().take_null());
  EXPECT_EQ(in.keyed_values("Tab2"), item_with(key_of("Tab2", 4), "v"));
  EXPECT_EQ(in.in().array().left, 0U);
  EXPECT_EQ(in.in().map().left, 0U);
  in.expect_end();
}

TEST(ReplyBatches, WriteHasCapacityAndCollections) {
  BatchWrite write;
  write.add("Tab1", 0, WriteAction::Kind::kPut);
  write.request.capacity = CapacityDetail::kIndexes;
  for (const std::string_view table : {"Tab1", "Tab2", "Tab1", ""}) {
    write.reply.written.emplace_back();
    write.reply.written.back().consumed = units(table, 0, 2);
    write.reply.written.back().consumed.local_indexes["l"].write = 1;
  }
  write.reply.collections = {{"Tab1", key_of("Tab1", 1), 0},
                             {"Tab1", key_of("Tab1", 2), 0},
                             {"Tab2", item_of({{"pk", text_value("q")}}), uint64_t{1} << 30}};
  const std::string bytes = write.bytes();
  ReplyReader in(bytes, write.tables, write.store);
  in.expect_success();
  in.in().map();
  EXPECT_EQ(in.in().array().left, 2U);
  EXPECT_EQ(in.capacity().text(), "Tab1 3.0 table 2.0 local l 1.0");
  EXPECT_EQ(in.capacity().text(), "Tab2 1.5 table 1.0 local l 0.5");
  EXPECT_EQ(in.in().map().left, 2U);
  EXPECT_EQ(in.in().text(), "Tab1");
  EXPECT_EQ(in.in().array().left, 2U);
  EXPECT_EQ(in.collection(), R"({"":{"S":"p1"}}: 0.000000 to 1.000000)");
  EXPECT_EQ(in.collection(), R"({"":{"S":"p2"}}: 0.000000 to 1.000000)");
  EXPECT_EQ(in.in().text(), "Tab2");
  EXPECT_EQ(in.in().array().left, 1U);
  EXPECT_EQ(in.collection(), R"({"":{"S":"q"}}: 1.000000 to 2.000000)");
  in.expect_end();
}

TEST(ReplyBatches, TransactionGetHasItemsInOrder) {
  ReplyTest test;
  api::TransactGetRequest request;
  request.parts.resize(4);
  request.parts[0] = {"Tab1", key_of("Tab1", 0), {}};
  request.parts[1] = {"Tab2", key_of("Tab2", 1), {}};
  request.parts[2] = {"Tab1", key_of("Tab1", 2), expr::Projection::of_columns({{"0", {"v", {}}}})};
  request.parts[3] = request.parts[2];
  api::TransactGetReply reply;
  reply.items = {
      found(item_with(key_of("Tab1", 0), "a")), {}, found(item_of({{"0", text_value("b")}}), 1), found(Item(), 0)};
  reply.consumed = {units("Tab1", 4, 0), units("Tab2", 4, 0), units("Tab1", 4, 0), units("Tab1", 4, 0)};
  reply.consumed[0].global_indexes["g"].read = 2;
  const auto read = [&](CapacityDetail detail) {
    request.capacity = detail;
    const std::string bytes = test.in_pieces<TransactGetEncoder>(request, reply);
    ReplyReader in(bytes, test.tables, test.store);
    in.expect_success();
    EXPECT_EQ(in.in().array().left, 2U);
    EXPECT_EQ(in.in().array().left, 4U);
    EXPECT_EQ(in.values(key_of("Tab1", 0)), item_with(key_of("Tab1", 0), "a"));
    EXPECT_EQ(in.values({}), std::nullopt);
    EXPECT_EQ(in.projected(), item_of({{"0", text_value("b")}}));
    EXPECT_EQ(in.values({}), std::nullopt);
    std::string capacity;
    for (auto members = in.in().array(); in.in().next(members);) capacity += in.transaction_capacity().text() + "; ";
    in.expect_end();
    return capacity;
  };
  EXPECT_EQ(read(CapacityDetail::kNone), "");
  EXPECT_EQ(read(CapacityDetail::kTotal), "Tab1 7.0 read 7.0; Tab2 2.0 read 2.0; ");
  EXPECT_EQ(read(CapacityDetail::kIndexes), "Tab1 7.0 read 7.0 table 6.0 global g 1.0; Tab2 2.0 read 2.0 table 2.0; ");
}

TEST(ReplyBatches, TransactionWriteHasCapacityAndCollections) {
  TestTables tables;
  TestStore store;
  api::TransactWriteRequest request;
  api::WritesReply reply;
  const auto bytes = [&] {
    CborWriter out;
    encode_transact_write(out, request, reply);
    return std::string(out.view());
  };
  EXPECT_EQ(to_hex(bytes()), "80838080a0");
  request.capacity = CapacityDetail::kTotal;
  reply.written.emplace_back();
  reply.written.back().consumed = units("Tab1", 0, 4);
  reply.written.back().consumed.local_indexes["l"].write = 2;
  EXPECT_EQ(to_hex(bytes()), "80838081bf01fb400800000000000003fb4008000000000000046454616231ffa0");
  request.capacity = CapacityDetail::kIndexes;
  reply.collections = {{"Tab1", key_of("Tab1", 1), 0}};
  std::string written = bytes();
  ReplyReader in(written, tables, store);
  in.expect_success();
  EXPECT_EQ(in.in().array().left, 3U);
  EXPECT_EQ(in.in().array().left, 0U);
  EXPECT_EQ(in.in().array().left, 1U);
  EXPECT_EQ(in.transaction_capacity().text(), "Tab1 3.0 write 3.0 table 2.0 local l 1.0");
  EXPECT_EQ(in.in().map().left, 1U);
  EXPECT_EQ(in.in().text(), "Tab1");
  EXPECT_EQ(in.in().array().left, 1U);
  EXPECT_EQ(in.collection(), R"({"":{"S":"p1"}}: 0.000000 to 1.000000)");
  in.expect_end();
  reply.repeated = true;
  written = bytes();
  ReplyReader again(written, tables, store);
  again.expect_success();
  again.in().array();
  again.in().array();
  again.in().array();
  EXPECT_EQ(again.transaction_capacity().text(), "Tab1 3.0 read 3.0 table 2.0 local l 1.0");
}

}  // namespace
}  // namespace partita::wire::dax
