// Batches and transactions.
#include "wire/dax/decode_testing.h"

namespace partita::wire::dax {
namespace {

using model::Fault;
using Kind = api::WriteAction::Kind;

const std::string kOnlyX = hex_bytes_of("8201818212" "6178");
const std::string kHasX = hex_bytes_of("8301820b8212" "617880");
const std::string kSetX = hex_bytes_of("83018183138212" "61788211008101");
const std::string kTwoValues = hex_bytes_of("190101026179");  // n = 2, x = "y"

// A key of its own for each number.
std::string numbered_key(int number) { return hex_bytes("k" + std::to_string(number)); }

std::string hex_array(size_t members) {
  const auto size = static_cast<char>(members);
  return members < 24 ? to_hex(std::string(1, static_cast<char>(0x80 + members))) : "98" + to_hex(std::string(1, size));
}

TEST_F(DaxDecodeTest, BatchGet) {
  const auto batch = decode(decode_batch_get, "a2" + hex_text("Tab1") + "83f5" + kOnlyX + "82" + numbered_key(1) +
                                                  numbered_key(2) + hex_text("None") + "83f4f681" + numbered_key(1) +
                                                  "bf0301ff");
  ASSERT_TRUE(batch.ok());
  ASSERT_EQ(batch->parts.size(), 2u);
  EXPECT_EQ(batch->parts[0].table, "Tab1");
  EXPECT_TRUE(batch->parts[0].consistent);
  EXPECT_EQ(batch->parts[0].projection->columns().size(), 1u);
  EXPECT_EQ(batch->parts[0].keys[1], item_of({{"pk", text_value("k2")}}));
  EXPECT_TRUE(batch->parts[1].keys[0].empty());
  EXPECT_EQ(batch->capacity, api::CapacityDetail::kTotal);
}

TEST_F(DaxDecodeTest, BatchesOfReadsAreLimited) {
  const auto of = [this](int keys, int others, bool twice) {
    std::string hex = others > 0 ? "a2" : "a1";
    hex += hex_text("Tab1") + "83f4f6" + hex_array(static_cast<size_t>(keys));
    for (int i = 0; i < keys; ++i) hex += numbered_key(twice ? 1 : i);
    if (others > 0) hex += hex_text("Tab3") + "83f4f6" + hex_array(static_cast<size_t>(others));
    for (int i = 0; i < others; ++i) hex += numbered_key(i);
    return fault(decode_batch_get, hex + "f6");
  };
  EXPECT_EQ(of(100, 0, false), "ok");
  EXPECT_EQ(of(101, 0, false),
            "1 validation error detected: Value at 'RequestItems.Tab1.member.Keys' failed to satisfy constraint: "
            "Member must have length less than or equal to 100");
  EXPECT_EQ(of(60, 41, false), "Too many items requested for the BatchGetItem call");
  EXPECT_EQ(of(2, 0, true), "Provided list of item keys contains duplicates");
  EXPECT_EQ(of(0, 0, false),
            "1 validation error detected: Value at 'RequestItems.Tab1.member.Keys' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1");
  EXPECT_EQ(fault(decode_batch_get, "a0f6"),
            "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: Member must have "
            "length greater than or equal to 1");
  const std::string one = hex_text("Tab1") + "83f4f681" + numbered_key(1);
  EXPECT_EQ(fault(decode_batch_get, "a2" + one + one + "f6"),
            "The DAX request is malformed: a batch names a table twice.");
}

TEST_F(DaxDecodeTest, BatchWrite) {
  const auto batch = decode(decode_batch_write, "a1" + hex_text("Tab1") + "84" + numbered_key(1) + kTwoValues +
                                                    numbered_key(2) + "f6" + "bf0601ff");
  ASSERT_TRUE(batch.ok());
  const auto& actions = batch->parts[0].actions;
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(actions[0].kind, Kind::kPut);
  EXPECT_EQ(actions[0].item, model::encode_item(item_of({{"pk", text_value("k1")},
                                                         {"n", number_value("2")},
                                                         {"x", text_value("y")}})));
  EXPECT_EQ(actions[1].kind, Kind::kDelete);
  EXPECT_EQ(actions[1].key, item_of({{"pk", text_value("k2")}}));
  EXPECT_TRUE(batch->wants_collection_bytes);
}

TEST_F(DaxDecodeTest, BatchesOfWritesAreLimited) {
  const auto of = [this](int first, int second) {
    std::string hex = second > 0 ? "a2" : "a1";
    hex += hex_text("Tab1") + hex_array(static_cast<size_t>(2 * first));
    for (int i = 0; i < first; ++i) hex += numbered_key(i) + "f6";
    if (second > 0) hex += hex_text("Tab3") + hex_array(static_cast<size_t>(2 * second));
    for (int i = 0; i < second; ++i) hex += numbered_key(i) + "f6";
    return decode(decode_batch_write, hex + "f6");
  };
  EXPECT_TRUE(of(25, 0).ok());
  EXPECT_EQ(model::fault_of(of(26, 0).error()), Fault::kConstraints);
  EXPECT_EQ(model::fault_of(of(99, 0).error()), Fault::kConstraints);
  EXPECT_EQ(model::fault_of(of(0, 0).error()), Fault::kConstraints);
  EXPECT_EQ(model::fault_of(of(20, 6).error()), Fault::kBatchTooManyItems);
  EXPECT_EQ(fault(decode_batch_write, "a1" + hex_text("Tab1") + "81" + numbered_key(1) + "f6"),
            "The DAX request is malformed: its arguments are not those of the operation.");
}

TEST_F(DaxDecodeTest, AllMissingListsOfABatchAreFound) {
  ASSERT_TRUE(decode(decode_batch_write, "a1" + hex_text("Tab1") + "86" + numbered_key(1) + hex_bytes_of("190111") +
                                             numbered_key(2) + kTwoValues + numbered_key(3) + hex_bytes_of("190112") +
                                             "f6").ok());
  EXPECT_EQ(missing_, (std::vector<uint64_t>{273, 274}));
}

TEST_F(DaxDecodeTest, TransactGet) {
  const std::string tables = "82" + hex_bytes("Tab1") + hex_bytes("Tab2");
  const std::string keys = "82" + numbered_key(1) + hex_bytes_of("6170c14e0000");
  const auto get = decode(decode_transact_get, tables + keys + "82f6" + kOnlyX + "bf0302ff");
  ASSERT_TRUE(get.ok());
  ASSERT_EQ(get->parts.size(), 2u);
  EXPECT_FALSE(get->parts[0].projection.has_value());
  EXPECT_TRUE(get->parts[1].projection.has_value());
  EXPECT_EQ(get->parts[1].key, item_of({{"pk", text_value("p")}, {"sk", number_value("3")}}));
  EXPECT_EQ(get->capacity, api::CapacityDetail::kIndexes);
  EXPECT_TRUE(decode(decode_transact_get, tables + keys + "f6" + "f6").ok());
  EXPECT_EQ(fault(decode_transact_get, tables + "81" + numbered_key(1) + "f6" + "f6"),
            "The DAX request is malformed: the arrays of a transaction are not of one length.");
  EXPECT_EQ(fault(decode_transact_get, "81" + hex_bytes("Tab1") + keys + "f6" + "f6"),
            "The DAX request is malformed: the arrays of a transaction are not of one length.");
  EXPECT_EQ(model::fault_of(decode(decode_transact_get, "8080f6f6").error()), Fault::kConstraints);
}

class DaxTransactTest : public DaxDecodeTest {
 protected:
  // A put, a deletion, an update and a check.
  std::string arguments(const std::string& put, const std::string& keywords) {
    return "84" "02" "07" "09" "0c" "84" + hex_bytes("Tab1") + hex_bytes("Tab1") + hex_bytes("Tab1") +
           hex_bytes("Tab1") + "84" + numbered_key(1) + numbered_key(2) + numbered_key(3) + numbered_key(4) + "84" +
           put + "f6f6f6" + "f6" + "8401020101" + "84f6f6f6" + kHasX + "84f6f6" + kSetX + "f6" + keywords;
  }
};

TEST_F(DaxTransactTest, Write) {
  const auto write = decode(decode_transact_write, arguments(kTwoValues, "bf0301" "0601" "13" + hex_text("t") + "ff"));
  ASSERT_TRUE(write.ok());
  ASSERT_EQ(write->parts.size(), 4u);
  EXPECT_EQ(write->parts[0].action.kind, Kind::kPut);
  EXPECT_EQ(write->parts[0].action.item,
            model::encode_item(item_of({{"pk", text_value("k1")}, {"n", number_value("2")}, {"x", text_value("y")}})));
  EXPECT_EQ(write->parts[1].action.kind, Kind::kDelete);
  EXPECT_TRUE(write->parts[1].action.return_item_on_failure);
  EXPECT_EQ(write->parts[2].action.kind, Kind::kUpdate);
  EXPECT_EQ(write->parts[2].action.update.actions().size(), 1u);
  EXPECT_FALSE(write->parts[2].action.return_item_on_failure);
  EXPECT_EQ(write->parts[3].action.kind, Kind::kCheck);
  EXPECT_TRUE(write->parts[3].action.condition.has_value());
  EXPECT_EQ(write->parts[3].action.key, item_of({{"pk", text_value("k4")}}));
  EXPECT_EQ(write->token, "t");
  EXPECT_EQ(write->digest.size(), 16u);
  EXPECT_TRUE(write->wants_collection_bytes);
}

TEST_F(DaxTransactTest, TheDigestIsOfTheActionsAlone) {
  const std::string token = "13" + hex_text("t");
  const auto digest = [&](const std::string& put, const std::string& keywords) {
    const auto write = decode(decode_transact_write, arguments(put, keywords));
    EXPECT_TRUE(write.ok());
    return write.ok() ? write->digest : std::string();
  };
  const std::string ab = hex_bytes_of("190101" "02" "a2616101616202");
  const std::string first = digest(ab, "bf" + token + "ff");
  EXPECT_EQ(first, digest(ab, "bf" "0302" "0601" + token + "ff"));
  EXPECT_EQ(first, digest(hex_bytes_of("190101" "02" "a2616202616101"), "bf" + token + "ff"));
  EXPECT_NE(first, digest(hex_bytes_of("190101" "02" "a2616201616101"), "bf" + token + "ff"));
  EXPECT_TRUE(digest(ab, "f6").empty());
}

TEST_F(DaxTransactTest, RefusesWhatIsNotAWhole) {
  EXPECT_EQ(fault(decode_transact_write, arguments("f6", "f6")),
            "The DAX request is malformed: an action of a transaction has values, or has none, other than its kind.");
  EXPECT_EQ(fault(decode_transact_write, "8080808080808080f6"),
            "ReturnValues in a transaction is not supported over DAX.");
  EXPECT_EQ(model::fault_of(decode(decode_transact_write, "80808080f6808080f6").error()), Fault::kConstraints);
  // An update without its expression, and a check without its condition.
  const std::string one = "81" + hex_bytes("Tab1") + "81" + numbered_key(1) + "f6" "f6" "f6" "f6" "f6" "f6";
  EXPECT_EQ(fault(decode_transact_write, "8109" + one),
            "1 validation error detected: Value null at 'transactItems.1.member.update.updateExpression' failed to "
            "satisfy constraint: Member must not be null");
  EXPECT_EQ(fault(decode_transact_write, "810c" + one),
            "1 validation error detected: Value null at 'transactItems.1.member.conditionCheck.conditionExpression' "
            "failed to satisfy constraint: Member must not be null");
  EXPECT_EQ(fault(decode_transact_write, "8107" + one), "ok");
  EXPECT_EQ(fault(decode_transact_write, "8108" + one), "Action 8 in a transaction is not supported over DAX.");
  EXPECT_EQ(model::fault_of(decode(decode_transact_write, arguments(kTwoValues, "bf1360ff")).error()),
            Fault::kConstraints);
}

}  // namespace
}  // namespace partita::wire::dax
