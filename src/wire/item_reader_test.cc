#include "wire/item_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "wire/error_body.h"
#include "wire/json_writer.h"

namespace partita::wire {
namespace {

using model::AttributeValue;
using model::Number;

// What decode_value says: the value written out again, or "!" and the text of its error.
std::string decoded(std::string_view text) {
  const auto document = JsonDocument::parse(text);
  PARTITA_CHECK(document.ok());
  const auto value = decode_value(document->root());
  if (!value.ok()) return "!" + message_of(value.error());
  JsonWriter json;
  json.write_value(*value);
  return std::move(json).take();
}

TEST(ItemReader, RefusesAnAttributeWithoutAName) {
  const auto document = JsonDocument::parse(R"({"a":{"M":{"":{"S":"x"}}},"":{"S":"y"}})");
  const auto item = decode_item(document->root());
  ASSERT_FALSE(item.ok());
  EXPECT_EQ(message_of(item.error()), "Empty attribute name");
}

TEST(ItemReader, NamesAreJudgedBehindValues) {
  EXPECT_EQ(decoded(R"({"L":[{"M":{"a":{"M":{"":{"S":"x"}}}}}]})"), "!Empty attribute name");
  EXPECT_EQ(decoded(R"({"M":{"":{"S":"x"},"a":{"N":"y"}}})"),
            "!The parameter cannot be converted to a numeric value: y");
  const std::string longest(65535, 'n');
  const std::string text = R"({"M":{")" + longest + R"(":{"S":"x"}}})";
  EXPECT_EQ(decoded(text), text);
  EXPECT_EQ(decoded(R"({"M":{"n)" + longest + R"(":{"S":"x"}}})"),
            "!Attribute name is too large, must be less than 65536 bytes");
}

TEST(ItemReader, ReadsEveryType) {
  for (const char* text :
       {R"({"S":""})", R"({"S":"é\n"})", R"({"N":"1.5"})", R"({"B":""})", R"({"B":"AP8="})", R"({"BOOL":false})",
        R"({"NULL":true})", R"({"SS":["","a"]})", R"({"NS":["-1","2"]})", R"({"BS":["","AQ=="]})", R"({"L":[]})",
        R"({"L":[{"S":"a"},{"L":[{"M":{}}]}]})", R"({"M":{"a":{"N":"1"},"b":{"M":{"c":{"NULL":true}}}}})"}) {
    EXPECT_EQ(decoded(text), text);
  }
}

TEST(ItemReader, SortsSetsAndMakesNumbersCanonical) {
  EXPECT_EQ(decoded(R"({"NS":["10","9","1e3","-0.50"]})"), R"({"NS":["-0.5","9","10","1000"]})");
  EXPECT_EQ(decoded(R"({"SS":["b","a"]})"), R"({"SS":["a","b"]})");
}

TEST(ItemReader, WordsMayStandForTruth) {
  EXPECT_EQ(decoded(R"({"BOOL":"Yes"})"), R"({"BOOL":true})");
  EXPECT_EQ(decoded(R"({"BOOL":"0"})"), R"({"BOOL":false})");
  EXPECT_EQ(decoded(R"({"BOOL":"maybe"})"), "!Unexpected token received from parser");
}

TEST(ItemReader, NullMembersAndUnknownOnesDoNotCount) {
  EXPECT_EQ(decoded(R"({"S":"a","N":null,"X":5})"), R"({"S":"a"})");
  const std::string empty = "!Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
  for (const char* text : {"{}", "null", R"({"S":null})", R"({"s":"a"})", R"({"L":[null]})", R"({"M":{"a":{}}})"}) {
    EXPECT_EQ(decoded(text), empty) << text;
  }
}

TEST(ItemReader, RefusesWrongKindsInTheWordsOfTheDeserialiser) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"S":1})", "!NUMBER_VALUE cannot be converted to String"},
      {R"({"S":1.0})", "!DECIMAL_VALUE cannot be converted to String"},
      {R"({"N":true})", "!TRUE_VALUE cannot be converted to String"},
      {R"({"N":["1"]})", "!Unrecognized collection type class java.lang.String"},
      {R"({"S":{}})", "!Start of structure or map found where not expected"},
      {R"({"BOOL":1})", "!NUMBER_VALUE cannot be converted to Boolean"},
      {R"({"BOOL":[]})", "!Unrecognized collection type class java.lang.Boolean"},
      {R"({"B":true})", "!only base-64-encoded strings are convertible to bytes"},
      {R"({"B":[]})", "!Unrecognized collection type class java.nio.ByteBuffer"},
      {R"({"B":"abc"})", "!Base64 encoded length is expected a multiple of 4 bytes but found: 3"},
      {R"({"B":"a=bc"})", "!Invalid last non-pad Base64 character dectected"},
      {R"({"B":"AB=="})", "!Invalid last non-pad Base64 character dectected"},
      {R"({"B":"AAB="})", "!Invalid last non-pad Base64 character dectected"},
      {R"({"B":"===="})", "!Invalid last non-pad Base64 character dectected"},
      {R"({"SS":"a"})", "!Unexpected field type"},
      {R"({"SS":{}})", "!Start of structure or map found where not expected"},
      {R"({"SS":[1]})", "!NUMBER_VALUE cannot be converted to String"},
      {R"({"L":[1]})", "!Unexpected value type in payload"},
      {R"({"L":[[]]})", "!Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"},
      {R"({"M":5})", "!Unexpected field type"},
      {R"({"M":[]})",
       "!Unrecognized collection type java.util.Map<java.lang.String, "
       "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
      {R"({"M":{"a":"b"}})", "!Unexpected value type in payload"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(decoded(text), message) << text;
}

TEST(ItemReader, RefusesValuesThatDynamoDbRefuses) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"S":"a","N":"1"})",
       "!Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"},
      {R"({"S":"a","N":"abc"})", "!The parameter cannot be converted to a numeric value: abc"},
      {R"({"N":""})", "!The parameter cannot be converted to a numeric value"},
      {R"({"N":"1e126"})", "!Number overflow. Attempting to store a number with magnitude larger than supported range"},
      {R"({"N":"1e-131"})",
       "!Number underflow. Attempting to store a number with magnitude smaller than supported range"},
      {R"({"N":"123456789012345678901234567890123456789"})",
       "!Attempting to store more than 38 significant digits in a Number"},
      {R"({"NULL":false})",
       "!One or more parameter values were invalid: Null attribute value types must have the value of true"},
      {R"({"SS":[]})", "!One or more parameter values were invalid: An string set  may not be empty"},
      {R"({"NS":[]})", "!One or more parameter values were invalid: An number set  may not be empty"},
      {R"({"BS":[]})", "!One or more parameter values were invalid: Binary sets should not be empty"},
      {R"({"SS":["a","b","a"]})",
       "!One or more parameter values were invalid: Input collection [a, b, a] contains duplicates."},
      {R"({"NS":["1","1.0"]})", "!Input collection contains duplicates"},
      {R"({"BS":["AQ==","AQ=="]})",
       "!One or more parameter values were invalid: Input collection [AQ==, AQ==]of type BS contains duplicates."},
      {R"({"M":{"a":{"L":[{"NS":["x"]}]}}})", "!The parameter cannot be converted to a numeric value: x"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(decoded(text), message) << text;
}

// What the operations with newer checks say of it.
std::string newer(std::string_view text) {
  const auto document = JsonDocument::parse(text);
  const auto value = decode_value(document->root());
  return value.ok() ? "ok" : message_of(value.error(), Words::kNewer);
}

TEST(ItemReader, DoublesAreShownInOrderByTheNewerChecks) {
  const std::string begin = "One or more parameter values were invalid: Input collection ";
  EXPECT_EQ(newer(R"({"SS":["b","a","b"]})"), begin + R"(["a", "b", "b"] contains duplicates.)");
  EXPECT_EQ(newer(R"({"SS":["b","b","c","a"]})"), begin + R"(["b", "b", "c", "a"] contains duplicates.)");
  EXPECT_EQ(newer(R"({"BS":["/w==","AA==","AA=="]})"),
            begin + R"(["AA==","/w==","AA=="]of type BS contains duplicates.)");
  EXPECT_EQ(newer(R"({"NS":["2","1","2"]})"), begin + "contains duplicates.");
}

TEST(ItemReader, TheOlderChecksReadFarNumbersAsJavaDoes) {
  const std::string no_number = "!The parameter cannot be converted to a numeric value: ";
  const std::string size = " Attempting to store a number with magnitude ";
  const std::string above = "Number overflow." + size + "larger than supported range";
  const std::string below = "Number underflow." + size + "smaller than supported range";
  for (const char* text : {"1e126", "1e2147483646"}) {
    EXPECT_EQ(decoded(R"({"N":")" + std::string(text) + R"("})"), "!" + above);
  }
  EXPECT_EQ(decoded(R"({"N":"1e2147483647"})"), "!" + below);
  EXPECT_EQ(decoded(R"({"NS":["1e2147483648"]})"), no_number + "1e2147483648");
  EXPECT_EQ(decoded(R"({"N":"-1e-99999999999"})"), no_number + "-1e-99999999999");
  for (const char* text : {"1e2147483647", "1e2147483648", "-1e99999999999"}) {
    EXPECT_EQ(newer(R"({"N":")" + std::string(text) + R"("})"), above);
  }
  EXPECT_EQ(newer(R"({"N":"1e-2147483648"})"), below);
}

std::string nested_maps(int maps) {
  std::string text = R"({"S":"leaf"})";
  for (int i = 0; i < maps; ++i)
    text = (i % 2 == 0 ? R"({"M":{"n":)" : R"({"L":[)") + text + (i % 2 == 0 ? "}}" : "]}");
  return text;
}

TEST(ItemReader, AValueHasAtMost32Levels) {
  EXPECT_EQ(decoded(nested_maps(31)), nested_maps(31));
  EXPECT_EQ(decoded(nested_maps(32)),
            "!Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
            "supported limit");
  EXPECT_EQ(decoded(nested_maps(400)), decoded(nested_maps(32)));
  for (const auto& [levels, fine] : {std::pair(32, true), {33, false}}) {
    const auto document = JsonDocument::parse(nested_maps(levels));
    EXPECT_EQ(decode_value(document->root(), Nesting::kAlone).ok(), fine) << levels;
  }
}

TEST(ItemReader, ReadsItemsInAnyOrderAndTheLastOfDoubles) {
  const auto document = JsonDocument::parse(R"({"c":{"N":"3"},"a":{"N":"1"},"b":{"N":"2"},"a":{"N":"4"}})");
  const auto item = decode_item(document->root());
  ASSERT_TRUE(item.ok());
  EXPECT_EQ(item->size(), 3u);
  EXPECT_EQ(*item->find("a"), AttributeValue::number(Number::of(4)));
  EXPECT_EQ(*item->find("c"), AttributeValue::number(Number::of(3)));
}

TEST(ItemReader, AnAbsentItemIsEmptyAndAListIsNone) {
  EXPECT_EQ(decode_item(JsonValue())->size(), 0u);
  const auto document = JsonDocument::parse("[]");
  EXPECT_FALSE(decode_item(document->root()).ok());
}

// JSON of items: most of it usual, some of it wrong in one way or another.
class RandomItems {
 public:
  explicit RandomItems(uint64_t seed) : random_(seed) {}

  std::string map(int depth) {
    static const std::string too_long(model::kMaxAttributeNameBytes + 1, 'n');
    std::string text = "{";
    for (uint64_t left = random_.below(one_in(20) ? 30 : 6); left > 0; --left) {
      std::string name(1, static_cast<char>('a' + random_.below(one_in(4) ? 6 : 26)));
      if (one_in(3)) name += "é" + std::to_string(random_.below(100));
      if (one_in(200)) name = one_in(2) ? "" : too_long;
      text += (text.size() > 1 ? ",\"" : "\"") + name + "\":" + value(depth);
    }
    return text + "}";
  }

 private:
  bool one_in(uint64_t count) { return random_.below(count) == 0; }
  std::string one_of(std::initializer_list<const char*> texts) { return texts.begin()[random_.below(texts.size())]; }

  std::string text() { return one_in(10) ? "\\u0000\\n" : std::string(random_.below(one_in(30) ? 300 : 9), 't'); }

  std::string number() {
    if (one_in(60))
      return one_of({"", "x", "1e126", "1e2147483647", "1e-131", "123456789012345678901234567890123456789"});
    if (one_in(3)) return one_of({"0", "-0.0", "1e3", "+7", "0010", "1.50", "-12345678901234567890.5", "1E-130"});
    return std::to_string(static_cast<int64_t>(random_.next() >> random_.below(64)));
  }

  std::string list_of(std::string (RandomItems::*member)(), const char* empty = "") {
    std::string list;
    for (uint64_t left = 1 + random_.below(4); left > 0; --left) {
      list += (list.empty() ? "\"" : ",\"") + (this->*member)() + "\"";
    }
    return one_in(60) ? empty : list;
  }

  std::string blob() { return one_of({"", "AP8=", "AQID", "AA==", "AQ=="}); }

  std::string list(int depth) {
    std::string text = "[";
    for (uint64_t left = random_.below(4); left > 0; --left) text += (text.size() > 1 ? "," : "") + value(depth);
    return text + "]";
  }

  std::string value(int depth) {
    if (one_in(80)) {
      return one_of({"null", "{}", "[]", "5", R"({"S":null})", R"({"S":5})", R"({"N":5})", R"({"X":"a"})",
                     R"({"L":{}})", R"({"M":[]})", R"({"S":"a","N":"1"})", R"({"NULL":false})", R"({"BOOL":7})",
                     R"({"B":"a"})", R"({"M":{"a":null}})", R"({"SS":[null]})", R"({"L":[null]})"});
    }
    if (one_in(20)) return one_of({R"({"S":"a","N":null})", R"({"X":5,"S":"a"})", R"({"BOOL":"yes"})"});
    if (depth > 0 && one_in(4))
      return one_in(2) ? R"({"M":)" + map(depth - 1) + "}" : R"({"L":)" + list(depth - 1) + "}";
    switch (random_.below(8)) {
      case 0:
        return one_of({R"({"BOOL":true})", R"({"BOOL":false})", R"({"NULL":true})"});
      case 1:
        return R"({"B":")" + blob() + R"("})";
      case 2:
        return R"({"SS":[)" + list_of(&RandomItems::text) + "]}";
      case 3:
        return R"({"NS":[)" + list_of(&RandomItems::number) + "]}";
      case 4:
        return R"({"BS":[)" + list_of(&RandomItems::blob) + "]}";
      case 5:
        return R"({"N":")" + number() + R"("})";
      default:
        return R"({"S":")" + text() + R"("})";
    }
  }

  SeededRandom random_;
};

// The bytes of the item, or "!" and what is wrong with it.
std::string by_way_of_an_item(const JsonValue& json) {
  const auto item = decode_item(json);
  return item.ok() ? model::encode_item(*item) : "!" + render(item.error()).body;
}

std::string straight(const JsonValue& json) {
  const auto encoded = decode_encoded_item(json);
  return encoded.ok() ? *encoded : "!" + render(encoded.error()).body;
}

TEST(ItemReader, BothWaysToStoredBytesSayTheSame) {
  RandomItems items(11);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = items.map(i % 50 == 0 ? 40 : 3);
    const auto document = JsonDocument::parse(text);
    ASSERT_TRUE(document.ok()) << text;
    const std::string wanted = by_way_of_an_item(document->root());
    ASSERT_EQ(straight(document->root()), wanted) << text;
    refused += wanted[0] == '!' ? 1 : 0;
  }
  EXPECT_GT(refused, 2'000);
  EXPECT_LT(refused, 18'000);
  for (const int levels : {31, 32}) {
    const std::string text = R"({"n":)" + nested_maps(levels) + "}";
    const auto document = JsonDocument::parse(text);
    EXPECT_EQ(straight(document->root()), by_way_of_an_item(document->root()));
  }
  EXPECT_EQ(straight(JsonValue()), by_way_of_an_item(JsonValue()));
  for (const char* text : {R"({"a":[1]})", R"({"a":["S"]})", R"({"a":[{"S":"x"}]})", R"({"a":"S"})", R"({"a":1})",
                           R"({"a":{"L":[["x"]]}})", R"({"a":{"M":{"b":["x"]}}})", R"(["x"])", R"([{"S":"x"}])"}) {
    const auto document = JsonDocument::parse(text);
    EXPECT_EQ(straight(document->root()), by_way_of_an_item(document->root())) << text;
  }
}

}  // namespace
}  // namespace partita::wire
