#include "sinks/search_document.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace partita::sinks {
namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Number;
using model::Type;

std::string id_of(std::vector<AttributeValue> keys) { return search_id(keys); }
AttributeValue text(std::string value) { return AttributeValue::string(std::move(value)); }
Number number(std::string_view digits) { return Number::parse(digits).value(); }

TEST(SearchId, IsTheKeyInWordsThatPeopleKnow) {
  EXPECT_EQ(id_of({text("alice")}), "alice");
  EXPECT_EQ(id_of({AttributeValue::number(number("1.50e3"))}), "1500");
  EXPECT_EQ(id_of({AttributeValue::binary("\xff\x01")}), "/wE=");
  EXPECT_EQ(id_of({text("alice"), AttributeValue::number(number("-7"))}), "5:alice|-7");
}

TEST(SearchId, DiffersForDifferentKeys) {
  EXPECT_NE(id_of({text("a|b"), text("c")}), id_of({text("a"), text("b|c")}));
  EXPECT_NE(id_of({text("1:a|"), text("1:a|")}), id_of({text("1:a"), text("|1:a|")}));
  std::set<std::string> ids;
  const std::string parts[] = {"a", "|", "1", ":", "1:", "|a", "a|", "2:a|a", "1:a|1"};
  size_t keys = 0;
  for (const std::string& one : parts) {
    for (const std::string& other : parts) {
      ++keys;
      ids.insert(id_of({text(one), text(other)}));
    }
  }
  EXPECT_EQ(ids.size(), keys);
}

TEST(SearchId, IsHashedIfItIsTooLong) {
  EXPECT_EQ(id_of({text(std::string(512, 'x'))}), std::string(512, 'x'));
  const std::string hashed = id_of({text(std::string(513, 'x'))});
  EXPECT_EQ(hashed.size(), 7 + 64U);
  EXPECT_TRUE(hashed.starts_with("sha256:"));
  EXPECT_NE(hashed, id_of({text(hashed)})) << "a key like a hash is another key";
  EXPECT_EQ(id_of({text(std::string(256, 'x')), text(std::string(252, 'y'))}).size(), 7 + 64U);
  EXPECT_EQ(id_of({text(std::string(255, 'x')), text(std::string(252, 'y'))}).size(), 512U);
}

TEST(SearchId, IsReadFromAStoredKey) {
  const model::KeySchema schema{.partition = {{"p", Type::kS}}, .sort = {{"s", Type::kN}}};
  const AttributeValue partition = text("alice");
  const AttributeValue* const partitions[] = {&partition};
  std::string stored = model::collection_prefix(7, model::kBaseIndex, partitions);
  EXPECT_FALSE(search_id_of(schema, stored).ok());
  model::append_key_value(AttributeValue::number(number("12")), stored);
  const auto id = search_id_of(schema, stored);
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(*id, "5:alice|12");
  EXPECT_FALSE(search_id_of(schema, stored + "x").ok());
  EXPECT_FALSE(search_id_of(schema, "short").ok());
}

std::string document_of(const model::Item& item, const std::vector<std::string>& fields = {}) {
  wire::JsonWriter json;
  write_search_object(json, item, fields);
  return std::move(json).take();
}

TEST(SearchDocument, HasPlainJsonOfEachType) {
  AttributeMap inner;
  inner.set("", AttributeValue::null());
  inner.set("a.b", text("\"\n"));
  AttributeMap item;
  item.set("b", AttributeValue::binary("\xff\x01"));
  item.set("bs", AttributeValue::binary_set({"b", "a"}));
  item.set("l", AttributeValue::list({AttributeValue::boolean(true), AttributeValue::number(number("1e3"))}));
  item.set("m", AttributeValue::map(std::move(inner)));
  item.set("ns", AttributeValue::number_set({number("2"), number("-1.5")}));
  item.set("ss", AttributeValue::string_set({"y", "x"}));
  EXPECT_EQ(document_of(item), R"({"b":"/wE=","bs":["YQ==","Yg=="],"l":[true,1000],"m":{"":null,"a.b":"\"\n"},)"
                               R"("ns":[-1.5,2],"ss":["x","y"]})");
}

TEST(SearchDocument, KeepsAllDigits) {
  AttributeMap item;
  item.set("n", AttributeValue::number(number("-1.2345678901234567890123456789012345678")));
  item.set("o", AttributeValue::number(number("1e-130")));
  EXPECT_EQ(document_of(item),
            R"({"n":-1.2345678901234567890123456789012345678,"o":0.)" + std::string(129, '0') + "1}");
}

TEST(SearchDocument, HasOnlyTheFieldsThatAreNamed) {
  AttributeMap inner;
  inner.set("c", text("3"));
  AttributeMap item;
  item.set("a", text("1"));
  item.set("b", text("2"));
  item.set("m", AttributeValue::map(std::move(inner)));
  EXPECT_EQ(document_of(item, {"m", "a", "none"}), R"({"a":"1","m":{"c":"3"}})");
  EXPECT_EQ(document_of(item, {"none"}), "{}");
}

}  // namespace
}  // namespace partita::sinks
