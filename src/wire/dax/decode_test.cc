// GetItem, PutItem, UpdateItem, DeleteItem, Query and Scan.
#include "expr/update.h"
#include "wire/dax/decode_testing.h"

namespace partita::wire::dax {
namespace {

using model::Fault;

const std::string kTab1 = hex_bytes("Tab1");
const std::string kTab2 = hex_bytes("Tab2");
const std::string kGo = hex_bytes("go");
const std::string kNothing = "bfff";
const std::string kPairKey = hex_bytes_of("6170c14e0000");                // "p", 3
const std::string kExistsA = hex_bytes_of("8301820b8212616180");          // attribute_exists(a)
const std::string kValues = hex_bytes_of("190101c4822118966179");         // n = 1.50, x = "y"
const std::string kKeyEquals = hex_bytes_of("83018300821262706b821100816167");  // pk = "g"

TEST_F(DaxDecodeTest, Get) {
  const auto plain = decode(decode_get, kTab1 + kGo + kNothing);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->table, "Tab1");
  EXPECT_EQ(plain->key, item_of({{"pk", text_value("go")}}));
  EXPECT_FALSE(plain->projection.has_value());
  EXPECT_FALSE(plain->consistent);
  EXPECT_EQ(plain->capacity, api::CapacityDetail::kNone);

  const auto full = decode(decode_get, kTab2 + kPairKey + "a3" "02f5" "0302" "00" + hex_bytes_of("820181821261" "61"));
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->key, item_of({{"pk", text_value("p")}, {"sk", number_value("3")}}));
  EXPECT_TRUE(full->consistent);
  EXPECT_EQ(full->capacity, api::CapacityDetail::kIndexes);
  ASSERT_TRUE(full->projection.has_value());
  EXPECT_EQ(full->projection->columns().front().name, "0");
  EXPECT_EQ(full->projection->attributes(), std::vector<std::string>{"a"});

  EXPECT_TRUE(decode(decode_get, kTab1 + kGo + "f6").ok());
  EXPECT_TRUE(decode(decode_get, hex_bytes("Nowhere") + kGo + kNothing)->key.empty());
}

TEST_F(DaxDecodeTest, TheLastValueOfAKeywordCounts) {
  // The first one is the expression's text, which is no expression.
  const auto put = decode(decode_put, kTab1 + kGo + kValues + "bf" "04" "6161" "04" + kExistsA + "ff");
  ASSERT_TRUE(put.ok());
  EXPECT_TRUE(put->action.condition.has_value());
  EXPECT_FALSE(decode(decode_put, kTab1 + kGo + kValues + "bf" "04" + kExistsA + "04" "f6" "ff")
                   ->action.condition.has_value());
}

TEST_F(DaxDecodeTest, RefusesParametersByName) {
  const auto get = [this](const std::string& map) { return fault(decode_get, kTab1 + kGo + map); };
  EXPECT_EQ(get("bf1501ff"), "Parameter 21 is not supported over DAX.");
  EXPECT_EQ(get("bf2001ff"), "Parameter -1 is not supported over DAX.");
  EXPECT_EQ(get("bf0d05ff"), "Limit in this operation is not supported over DAX.");
  EXPECT_EQ(get("bf0d00ff"), "ok");
  EXPECT_EQ(get("bf01a005a0ff"), "ok");
  EXPECT_EQ(get("bf0303ff"), "Value 3 of ReturnConsumedCapacity is not supported over DAX.");
  EXPECT_EQ(get("bf0202ff"), "The DAX request is malformed: ConsistentRead is not of its type.");
  EXPECT_EQ(get("bf0201ff"), "ok");
}

TEST_F(DaxDecodeTest, RefusesBytesThatAreNoRequest) {
  const std::vector<std::string> all = {"",
                                        kTab1,
                                        kTab1 + kGo,
                                        kTab1 + kGo + "bf02ff",
                                        kTab1 + kGo + kNothing + "f6",
                                        kTab1 + "01" + kNothing,
                                        "01" + kGo + kNothing,
                                        kTab1 + kGo + "80",
                                        kTab1 + kGo + "bf"};
  for (const std::string& bad : all) {
    const auto decoded = decode(decode_get, bad);
    ASSERT_FALSE(decoded.ok()) << bad;
    EXPECT_EQ(model::fault_of(decoded.error()), Fault::kDaxMalformed) << bad;
  }
  EXPECT_EQ(fault(decode_get, hex_bytes_of("61ff") + kGo + kNothing),
            "The DAX request is malformed: the name of a table is not UTF-8.");
}

TEST_F(DaxDecodeTest, TableNamesAreCheckedAsInJson) {
  EXPECT_EQ(fault(decode_delete, hex_bytes("a b") + kGo + kNothing),
            "1 validation error detected: Value 'a b' at 'tableName' failed to satisfy constraint: Member must satisfy "
            "regular expression pattern: [a-zA-Z0-9_.-]+");
  EXPECT_EQ(fault(decode_get, "40" + kGo + kNothing),
            "1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must have length "
            "greater than or equal to 1");
}

TEST_F(DaxDecodeTest, PutWritesTheStoredForm) {
  const std::string stored = model::encode_item(
      item_of({{"pk", text_value("go")}, {"n", number_value("1.50")}, {"x", text_value("y")}}));
  const auto sorted = decode(decode_put, kTab1 + kGo + kValues + kNothing);
  ASSERT_TRUE(sorted.ok());
  EXPECT_EQ(sorted->action.kind, api::WriteAction::Kind::kPut);
  EXPECT_EQ(sorted->action.item, stored);
  EXPECT_FALSE(sorted->action.wants_before);
  const auto unsorted = decode(decode_put, kTab1 + kGo + hex_bytes_of("1901026179c482211896") + kNothing);
  ASSERT_TRUE(unsorted.ok());
  EXPECT_EQ(unsorted->action.item, stored);
  const auto keys_only = decode(decode_put, kTab2 + kPairKey + hex_bytes_of("01") + "bf" "0702" "0601" "ff");
  ASSERT_TRUE(keys_only.ok());
  EXPECT_EQ(keys_only->action.item, model::encode_item(item_of({{"pk", text_value("p")}, {"sk", number_value("3")}})));
  EXPECT_EQ(keys_only->returned, api::ReturnValues::kAllOld);
  EXPECT_TRUE(keys_only->action.wants_before);
  EXPECT_TRUE(keys_only->wants_collection_bytes);
}

TEST_F(DaxDecodeTest, WhatIsDecodedStaysWithinTheMemory) {
  const auto nulls = [](size_t count) {
    std::string list = "9a" + to_hex(std::string(1, '\0') + static_cast<char>(count >> 16) +
                                     static_cast<char>(count >> 8) + static_cast<char>(count));
    while (count-- > 0) list += "f6";
    return list;
  };
  constexpr size_t kMemory = size_t{4} << 20;
  const auto needs = [&](auto decoder, const std::string& arguments) {
    memory_.left = kMemory;
    const auto decoded = decode(decoder, arguments);
    if (!decoded.ok()) {
      EXPECT_EQ(model::fault_of(decoded.error()), Fault::kOverloaded);
      return kMemory + 1;
    }
    return kMemory - memory_.left;
  };
  const auto put = [&](std::string_view list, size_t count) {
    return needs(decode_put, kTab1 + kGo + hex_bytes_of(std::string(list) + nulls(count) + "00") + kNothing);
  };
  EXPECT_EQ(put("190101", 10'000), 0U);  // straight to the stored form
  EXPECT_EQ(put("190102", 10), 0U);
  EXPECT_GT(put("190102", 10'000), 10'000 * sizeof(model::AttributeValue));
  EXPECT_GT(put("190102", 30'000), kMemory);
  // SET x = the list
  const auto update = [&](size_t count) {
    return needs(decode_update, kTab1 + kGo + "a108" +
                                    hex_bytes_of("830181831382126178821100"
                                                 "81" +
                                                 nulls(count)));
  };
  EXPECT_EQ(update(10), 0U);
  EXPECT_GT(update(10'000), 10'000 * sizeof(model::AttributeValue));
  EXPECT_GT(update(30'000), kMemory);
  // The names of a list are no part of the request.
  lists_.add(model::make_attribute_list(260, {std::string(60'000, 'a'), std::string(60'000, 'b')}));
  EXPECT_GT(needs(decode_put, kTab1 + kGo +
                                  hex_bytes_of("190104"
                                               "0000") +
                                  kNothing),
            120'000U);
}

// Memory is there for the values of one item, and not for those of both lists.
TEST_F(DaxDecodeTest, ValuesOfAnItemCountTogether) {
  std::string nulls = "9a000493e0";  // 300,000
  for (int i = 0; i < 300'000; ++i) nulls += "f6";
  memory_.left = size_t{100} << 20;
  for (const std::string_view list : {"190101", "190102"}) {
    EXPECT_EQ(fault(decode_put, kTab1 + kGo + hex_bytes_of(std::string(list) + nulls + nulls) + kNothing),
              "Item size has exceeded the maximum allowed size")
        << list;
  }
}

TEST_F(DaxDecodeTest, PutNeedsItsListAndAllValues) {
  EXPECT_TRUE(decode(decode_put, kTab1 + kGo + hex_bytes_of("1901046179") + kNothing).ok());
  EXPECT_EQ(missing_, std::vector<uint64_t>{260});
  for (const char* values :
       {"190101", "190101f6", "190101f6f6f6", "190102f6", "190102f6f6f6", "00", "20", "6161", ""}) {
    const auto decoded = decode(decode_put, kTab1 + kGo + hex_bytes_of(values) + kNothing);
    ASSERT_FALSE(decoded.ok()) << values;
    EXPECT_EQ(model::fault_of(decoded.error()), Fault::kDaxMalformed) << values;
  }
  EXPECT_EQ(fault(decode_put, kTab1 + kGo + hex_bytes_of("190101f6d90cf980") + kNothing),
            "1 validation error detected: One or more parameter values were invalid: An string set  may not be empty");
}

// The client knows the table by an older key.
TEST_F(DaxDecodeTest, AKeyAmongTheAttributesIsRefused) {
  EXPECT_EQ(fault(decode_put, kTab2 + kPairKey + hex_bytes_of("190103f6f6") + kNothing),
            "The provided key element does not match the schema");
  EXPECT_EQ(fault(decode_put, kTab1 + kGo + hex_bytes_of("190103f6f6") + kNothing), "ok");
}

TEST_F(DaxDecodeTest, ReplacementsReturnOldValuesOnly) {
  EXPECT_EQ(fault(decode_delete, kTab1 + kGo + "bf0704ff"),
            "1 validation error detected: ReturnValues can only be ALL_OLD or NONE");
}

TEST_F(DaxDecodeTest, Update) {
  const auto update = decode(decode_update, kTab1 + kGo + "bf" "08" +
                                                hex_bytes_of("83018183138212617683181982126176821100" "8101") + "0705" +
                                                "04" + kExistsA + "ff");
  ASSERT_TRUE(update.ok());
  EXPECT_EQ(update->action.kind, api::WriteAction::Kind::kUpdate);
  EXPECT_EQ(update->action.key, item_of({{"pk", text_value("go")}}));
  EXPECT_EQ(update->action.update.actions().size(), 1u);
  EXPECT_TRUE(update->action.condition.has_value());
  EXPECT_EQ(update->returned, api::ReturnValues::kUpdatedNew);
  EXPECT_TRUE(update->action.wants_before);
  EXPECT_TRUE(decode(decode_update, kTab1 + kGo + kNothing)->action.update.actions().empty());
}

TEST_F(DaxDecodeTest, Query) {
  const auto plain = decode(decode_query, kTab1 + kKeyEquals + "bf" "0f01" "0940" "ff");
  ASSERT_TRUE(plain.ok());
  EXPECT_TRUE(plain->keys.has_value());
  EXPECT_TRUE(plain->forward);
  EXPECT_EQ(plain->select, api::Select::kAllAttributes);
  EXPECT_FALSE(plain->start.has_value());
  EXPECT_FALSE(plain->limit.has_value());

  const auto full = decode(decode_query, kTab2 + kKeyEquals + "bf" "0e00" "0d07" "0201" "0f03" "09" + kPairKey + "0a" +
                                             kExistsA + "ff");
  ASSERT_TRUE(full.ok());
  EXPECT_FALSE(full->forward);
  EXPECT_EQ(full->limit, 7u);
  EXPECT_TRUE(full->consistent);
  EXPECT_EQ(full->select, api::Select::kCount);
  EXPECT_TRUE(full->filter.has_value());
  EXPECT_EQ(full->start, item_of({{"pk", text_value("p")}, {"sk", number_value("3")}}));

  always_selects_ = true;
  EXPECT_EQ(decode(decode_query, kTab1 + kKeyEquals + "bf" "0f01" "ff")->select, api::Select::kDefault);
  EXPECT_EQ(decode(decode_query, kTab1 + kKeyEquals + "bf" "0f03" "ff")->select, api::Select::kCount);
  always_selects_ = false;

  const auto indexed = decode(decode_query, kTab1 + kKeyEquals + "bf" "0b" + hex_bytes("idx") + "09" +
                                                hex_bytes_of("bf62706b6170626978" "6171ff") + "ff");
  ASSERT_TRUE(indexed.ok());
  EXPECT_EQ(indexed->index, "idx");
  EXPECT_EQ(indexed->start, item_of({{"pk", text_value("p")}, {"ix", text_value("q")}}));
}

TEST_F(DaxDecodeTest, QueriesAreCheckedAsInJson) {
  const auto query = [this](const std::string& map) { return fault(decode_query, kTab1 + kKeyEquals + map); };
  EXPECT_EQ(fault(decode_query, kTab1 + "f6" + kNothing),
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
  EXPECT_EQ(query("bf0d00ff"),
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value "
            "greater than or equal to 1");
  EXPECT_EQ(query("bf0b" + hex_bytes("i") + "ff"),
            "1 validation error detected: Value 'i' at 'indexName' failed to satisfy constraint: Member must have "
            "length greater than or equal to 3");
  EXPECT_EQ(query("bf0f04ff"),
            "1 validation error detected: Must specify the AttributesToGet or ProjectionExpression when choosing to "
            "get SPECIFIC_ATTRIBUTES");
  EXPECT_EQ(query("bf09" + hex_bytes_of("ff") + "ff"), "The DAX request is malformed: a key is not UTF-8.");
  EXPECT_EQ(fault(decode_query, kTab2 + kKeyEquals + "bf09" + hex_bytes_of("01") + "ff"),
            "The provided starting key is invalid");
  const std::string either = hex_bytes_of("830183078300821262706b8211008300821262706b821100816167");
  EXPECT_EQ(fault(decode_query, kTab1 + either + kNothing),
            "Invalid operator used in KeyConditionExpression: OR");
}

TEST_F(DaxDecodeTest, Scan) {
  const auto scan = decode(decode_scan, kTab1 + "bf" "1001" "1104" "ff");
  ASSERT_TRUE(scan.ok());
  EXPECT_FALSE(scan->keys.has_value());
  EXPECT_EQ(scan->segment.index, 1u);
  EXPECT_EQ(scan->segment.total, 4u);
  EXPECT_EQ(decode(decode_scan, kTab1 + kNothing)->segment.total, 1u);
  EXPECT_EQ(fault(decode_scan, kTab1 + "bf" "1004" "1104" "ff"),
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 4 is not less "
            "than TotalSegments: 4");
  EXPECT_EQ(fault(decode_scan, kTab1 + "bf" "1001" "ff"),
            "The TotalSegments parameter is required but was not present in the request when Segment parameter is "
            "present");
  EXPECT_EQ(fault(decode_scan, kTab1 + "bf" "1000" "1100" "ff"),
            "1 validation error detected: Value '0' at 'totalSegments' failed to satisfy constraint: Member must have "
            "value greater than or equal to 1");
}

}  // namespace
}  // namespace partita::wire::dax
