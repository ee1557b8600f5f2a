#include <gtest/gtest.h>

#include "model/item_codec.h"
#include "wire/dax/reply_testing.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {
namespace {

using api::CapacityDetail;
using api::ReturnValues;
using model::AttributeValue;
using model::Item;

// All types, and names before, between and after the key's.
Item every_type(const Item& key) {
  Item item = key;
  item.set("a", text_value("text"));
  item.set("b", number_value("-12.5"));
  item.set("c", AttributeValue::binary(std::string("\0\xff", 2)));
  item.set("d", AttributeValue::boolean(true));
  item.set("e", AttributeValue::null());
  item.set("f", AttributeValue::map(item_of(
                    {{"x", number_value("1")}, {"y", AttributeValue::list({text_value(""), number_value("0")})}})));
  item.set("pl", AttributeValue::string_set({"u", "v"}));
  item.set("q", AttributeValue::number_set({model::Number::of(3), model::Number::of(-4)}));
  item.set("z", AttributeValue::binary_set({"p", "q"}));
  return item;
}

// The forms that an item has in a reply; `stored` keeps the bytes.
std::vector<api::FoundItem> forms_of(const Item& item, std::string& stored) {
  stored = model::encode_item(item);
  return {item, stored, std::string_view(stored)};
}

struct Get : ReplyTest {
  api::GetRequest request;
  api::GetReply reply;

  Get() {
    request.table = "Tab1";
    request.key = item_of({{"pk", text_value("go")}});
    reply.consumed.table = "Tab1";
    reply.consumed.base.read = 2;
  }
  std::string bytes() {
    return whole([&](CborWriter& out) { return encode_get(out, request, reply, encoding); });
  }
};

TEST(ReplyItems, GetHasTheBytesThatClientsRead) {
  Get get;
  const Item item = item_of({{"n", number_value("1.50")}, {"pk", text_value("go")}, {"x", text_value("y")}});
  std::string stored;
  for (const auto& form : forms_of(item, stored)) {
    get.reply.read.item = form;
    EXPECT_EQ(to_hex(get.bytes()), "80bf0049190101c482200f6179ff");
  }
  EXPECT_EQ(get.store.loads, 1U);
}

TEST(ReplyItems, GetOfNothingIsNull) {
  Get get;
  EXPECT_EQ(to_hex(get.bytes()), "80f6");
  get.request.capacity = CapacityDetail::kTotal;
  EXPECT_EQ(to_hex(get.bytes()), "80bf01516454616231fb3ff0000000000000f6f6f6ff");
}

TEST(ReplyItems, GetOfAKeyAloneHasTheEmptyList) {
  Get get;
  get.reply.read.item = model::encode_item(get.request.key);
  EXPECT_EQ(to_hex(get.bytes()), "80bf004101ff");
  EXPECT_EQ(get.store.loads, 0U);
}

TEST(ReplyItems, GetHasAllTypesInAllForms) {
  for (const uint64_t first_id : {uint64_t{20}, uint64_t{257}, uint64_t{1} << 51}) {
    Get get;
    get.store = TestStore(first_id);
    get.request.table = "Tab2";
    get.request.key = item_of({{"pk", text_value("go")}, {"sk", number_value("7")}});
    const Item item = every_type(get.request.key);
    std::string stored;
    for (const auto& form : forms_of(item, stored)) {
      get.reply.read.item = form;
      const std::string bytes = get.bytes();
      ReplyReader in(bytes, get.tables, get.store);
      in.expect_success();
      EXPECT_EQ(in.in().peek(), 0xbf);
      in.in().head();
      EXPECT_EQ(in.next_key(), 0);
      EXPECT_EQ(item_text(in.values(get.request.key).value()), item_text(item));
      EXPECT_EQ(in.next_key(), std::nullopt);
      in.expect_end();
    }
  }
}

// The head of the byte string grows with what is in it.
TEST(ReplyItems, GetHasItemsOfAllSizes) {
  Get get;
  for (const size_t size :
       {0, 1, 8, 9, 10, 20, 100, 240, 241, 242, 243, 300, 65'525, 65'526, 65'527, 65'600, 400'000}) {
    Item item = get.request.key;
    item.set("v", text_value(std::string(size, 'v')));
    get.reply.read.item = model::encode_item(item);
    const std::string bytes = get.bytes();
    ReplyReader in(bytes, get.tables, get.store);
    in.expect_success();
    in.in().head();
    EXPECT_EQ(in.next_key(), 0);
    const size_t length = in.in().rest().size();
    const std::string_view values = CborReader(in.in().rest()).bytes();
    EXPECT_EQ(length, cbor_head_size(values.size()) + values.size() + 1) << size;
    EXPECT_EQ(in.values(get.request.key), item) << size;
    EXPECT_EQ(in.next_key(), std::nullopt);
    in.expect_end();
  }
}

TEST(ReplyItems, GetOfAProjectionHasOrdinals) {
  Get get;
  get.request.projection = expr::Projection::of_columns({{"0", {"x", {}}}, {"1", {"n", {}}}});
  const Item item = item_of({{"0", text_value("y")}, {"1", number_value("1.50")}});
  std::string stored;
  for (const auto& form : forms_of(item, stored)) {
    get.reply.read.item = form;
    EXPECT_EQ(to_hex(get.bytes()), "80bf00a200617901c482200fff");
  }
  get.reply.read.item = Item();
  EXPECT_EQ(to_hex(get.bytes()), "80bf00a0ff");
  get.reply.read.item = item_of({{"10", text_value("k")}, {"2", text_value("c")}});
  EXPECT_EQ(to_hex(get.bytes()), "80bf00a20a616b026163ff");
  get.reply.read.item = item_of({{"name", text_value("k")}});
  EXPECT_EQ(get.bytes(), "error");
}

TEST(ReplyItems, GetRefusesDamagedItems) {
  Get get;
  const std::string stored = model::encode_item(every_type(get.request.key));
  for (size_t size = 0; size < stored.size(); ++size) {
    get.reply.read.item = std::string_view(stored).substr(0, size);
    EXPECT_EQ(get.bytes(), "error") << size;
  }
  for (size_t i = 0; i < stored.size(); ++i) {
    std::string damaged = stored;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x80);
    get.reply.read.item = damaged;
    get.bytes();  // an error or not, but no crash
  }
}

TEST(ReplyItems, GetNeedsTheSchema) {
  Get get;
  get.reply.read.item = model::encode_item(get.request.key);
  get.request.table = "gone";
  EXPECT_EQ(get.bytes(), "error");
}

// A list of a client may name keys, in any order.
TEST(ReplyItems, GetIgnoresListsThatDoNotFit) {
  Get get;
  const Item item = item_of({{"n", number_value("1")}, {"pk", text_value("go")}, {"x", text_value("y")}});
  get.reply.read.item = model::encode_item(item);
  using Lists = std::vector<std::vector<std::string>>;
  for (const auto& names : Lists{{"n", "pk", "x"}, {"x", "n"}, {"n"}, {"n", "x", "y"}, {"a"}}) {
    get.lists.add(get.store.store(names));
    EXPECT_EQ(get.lists.recent()->names, names);
    const std::string bytes = get.bytes();
    ReplyReader in(bytes, get.tables, get.store);
    in.expect_success();
    in.in().head();
    EXPECT_EQ(in.next_key(), 0);
    EXPECT_EQ(in.values(get.request.key), item);
  }
}

TEST(ReplyItems, CapacityHasTheDetailRequested) {
  Get get;
  get.reply.consumed.base.read = 3;
  get.reply.consumed.global_indexes["g1"].read = 1;
  get.reply.consumed.global_indexes["g2"].read = 2;
  get.reply.consumed.local_indexes["l"].read = 5;
  const auto capacity = [&](CapacityDetail detail) {
    get.request.capacity = detail;
    const std::string bytes = get.bytes();
    ReplyReader in(bytes, get.tables, get.store);
    in.expect_success();
    in.in().head();
    EXPECT_EQ(in.next_key(), 1);
    return in.capacity().text();
  };
  EXPECT_EQ(capacity(CapacityDetail::kTotal), "Tab1 5.5");
  EXPECT_EQ(capacity(CapacityDetail::kIndexes), "Tab1 5.5 table 1.5 global g1 0.5 global g2 1.0 local l 2.5");
  get.reply.consumed.local_indexes.clear();
  EXPECT_EQ(capacity(CapacityDetail::kIndexes), "Tab1 3.0 table 1.5 global g1 0.5 global g2 1.0");
  get.reply.consumed.global_indexes.clear();
  get.reply.consumed.table = "Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1Tab1";
  EXPECT_EQ(capacity(CapacityDetail::kIndexes), std::string(get.reply.consumed.table) + " 1.5 table 1.5");
}

struct Write : ReplyTest {
  api::WriteRequest request;
  api::WriteReply reply;

  Write() {
    request.table = "Tab1";
    request.action.kind = api::WriteAction::Kind::kUpdate;
    request.action.key = item_of({{"pk", text_value("go")}});
    std::vector<expr::UpdateAction> actions(2);
    actions[0].path = {"n", {}};
    actions[1].path = {"m", {expr::PathStep("x")}};
    request.action.update = expr::Update(std::move(actions));
    reply.written.consumed.table = "Tab1";
    reply.written.consumed.base.write = 2;
    reply.written.before = item_of({{"n", number_value("4")}, {"pk", text_value("go")}, {"x", text_value("y")}});
    reply.written.after =
        item_of({{"m", AttributeValue::map(item_of({{"w", number_value("1")}, {"x", number_value("2")}}))},
                 {"n", number_value("5")},
                 {"pk", text_value("go")},
                 {"x", text_value("y")}});
  }
  std::string bytes() {
    return whole([&](CborWriter& out) { return encode_write(out, request, reply, encoding); });
  }
};

TEST(ReplyItems, WriteWithNothingToSayIsNull) {
  Write write;
  EXPECT_EQ(to_hex(write.bytes()), "80f6");
  write.request.returned = ReturnValues::kAllOld;
  write.reply.written.before.reset();
  EXPECT_EQ(to_hex(write.bytes()), "80f6");
}

TEST(ReplyItems, WriteReturnsTheValuesRequested) {
  Write write;
  const auto returned = [&](ReturnValues wanted) {
    write.request.returned = wanted;
    const std::string bytes = write.bytes();
    ReplyReader in(bytes, write.tables, write.store);
    in.expect_success();
    EXPECT_EQ(in.in().peek(), 0xbf);
    in.in().head();
    EXPECT_EQ(in.next_key(), 2);
    const bool all = wanted == ReturnValues::kAllOld || wanted == ReturnValues::kAllNew;
    const Item item = all ? in.values(write.request.action.key).value() : in.updated();
    EXPECT_EQ(in.next_key(), std::nullopt);
    in.expect_end();
    return item_text(item);
  };
  EXPECT_EQ(returned(ReturnValues::kAllOld), item_text(*write.reply.written.before));
  EXPECT_EQ(returned(ReturnValues::kAllNew), item_text(*write.reply.written.after));
  EXPECT_EQ(returned(ReturnValues::kUpdatedOld), R"({"n":{"N":"4"}})");
  EXPECT_EQ(returned(ReturnValues::kUpdatedNew), R"({"m":{"M":{"x":{"N":"2"}}},"n":{"N":"5"}})");
}

TEST(ReplyItems, UpdatedValuesHaveTheBytesThatClientsRead) {
  Write write;
  write.store.store({"m"});
  write.request.returned = ReturnValues::kUpdatedOld;
  EXPECT_EQ(to_hex(write.bytes()), "80bf0247190102bf0004ffff");
}

TEST(ReplyItems, AnEmptyUpdateHasNoAttributes) {
  Write write;
  write.request.returned = ReturnValues::kUpdatedOld;
  write.request.action.update = {};
  EXPECT_EQ(to_hex(write.bytes()), "80f6");
}

TEST(ReplyItems, WriteHasCapacityAndCollection) {
  Write write;
  write.request.returned = ReturnValues::kAllOld;
  write.request.capacity = CapacityDetail::kIndexes;
  write.reply.collection =
      api::ItemCollection{"Tab1", item_of({{"pk", text_value("go")}}), (uint64_t{3} << 30) + (uint64_t{1} << 29)};
  const std::string bytes = write.bytes();
  ReplyReader in(bytes, write.tables, write.store);
  in.expect_success();
  in.in().head();
  EXPECT_EQ(in.next_key(), 1);
  EXPECT_EQ(in.capacity().text(), "Tab1 1.0 table 1.0");
  EXPECT_EQ(in.next_key(), 2);
  EXPECT_EQ(in.values(write.request.action.key), write.reply.written.before);
  EXPECT_EQ(in.next_key(), 3);
  EXPECT_EQ(in.collection(), R"({"":{"S":"go"}}: 3.000000 to 4.000000)");
  EXPECT_EQ(in.next_key(), std::nullopt);
  in.expect_end();
}

TEST(ReplyItems, Definitions) {
  TestTables tables;
  CborWriter out;
  encode_key_schema(out, *tables.find("Tab2"));
  encode_list_id(out, 257);
  encode_list_id(out, (uint64_t{1} << 52) - 1);
  encode_list(out, *model::make_attribute_list(257, {"n", "x"}));
  encode_list(out, *model::make_attribute_list(1, {}));
  EXPECT_EQ(to_hex(out.view()), "80a262706b615362736b614e80190101801b000fffffffffffff8082616e61788080");
}

}  // namespace
}  // namespace partita::wire::dax
