#include "wire/json_writer.h"

#include <gtest/gtest.h>

#include "model/item_codec.h"

namespace partita::wire {
namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Item;
using model::Number;

std::string quote(std::string_view text) {
  JsonWriter json(1);
  json.string(text);
  return std::move(json).take();
}

// The slow way, one byte after another.
std::string quote_by_hand(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const std::string_view named = "\b\f\n\r\t\"\\";
    if (const size_t at = named.find(c); at != std::string_view::npos) {
      out += '\\';
      out += "bfnrt\"\\"[at];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

TEST(JsonWriter, MembersAreKeysWithValues) {
  JsonWriter json;
  json.begin_object();
  json.member("literal", "x");
  json.member("whole", int64_t{1});
  json.member("real", 1.5);
  json.member("flag", true);
  json.begin_array("list");
  json.end_array();
  json.begin_object("map");
  json.end_object();
  json.end_object();
  EXPECT_EQ(std::move(json).take(), R"({"literal":"x","whole":1,"real":1.5,"flag":true,"list":[],"map":{}})");
}

TEST(JsonWriter, PutsCommasBetweenMembersOnly) {
  JsonWriter json;
  json.begin_object();
  json.key("a");
  json.begin_array();
  json.begin_object();
  json.end_object();
  json.begin_array();
  json.end_array();
  json.number(int64_t{-5});
  json.end_array();
  json.key("b");
  json.boolean(false);
  json.key("c");
  json.null();
  json.key("d");
  json.raw("[1,2]");
  json.key("e");
  json.base64("\x01\xff");
  json.end_object();
  EXPECT_EQ(std::move(json).take(), R"({"a":[{},[],-5],"b":false,"c":null,"d":[1,2],"e":"Af8="})");
}

TEST(JsonWriter, WritesDoublesAsAwsDoes) {
  JsonWriter json;
  json.begin_array();
  json.number(0.5);
  json.number(1.0);
  json.number(1421866952.062);
  json.end_array();
  EXPECT_EQ(std::move(json).take(), "[0.5,1.0,1421866952.062]");
}

TEST(JsonWriter, EscapesEveryByteAtEveryPlace) {
  std::vector<size_t> lengths{63, 64, 65, 79, 80, 127, 128, 130, 200};
  for (size_t length = 0; length < 40; ++length) lengths.push_back(length);
  for (const size_t length : lengths) {
    for (size_t place = 0; place < length; ++place) {
      for (int c = 0; c < 256; ++c) {
        std::string longer(length + 64, 'x');  // what is behind the text must not matter
        longer[place] = static_cast<char>(c);
        const std::string_view text = std::string_view(longer).substr(0, length);
        ASSERT_EQ(quote(text), quote_by_hand(text));
      }
    }
  }
}

TEST(JsonWriter, EscapesRunsOfEscapes) {
  for (size_t length = 0; length < 200; ++length) {
    ASSERT_EQ(quote(std::string(length, '\x01')), quote_by_hand(std::string(length, '\x01')));
    ASSERT_EQ(quote(std::string(length, '"')), quote_by_hand(std::string(length, '"')));
  }
}

Item every_type() {
  AttributeMap inner;
  inner.set("k\n", AttributeValue::null());
  inner.set("m", AttributeValue::map({}));
  Item item;
  item.set("b", AttributeValue::binary("\x00\x01"));
  item.set("bool", AttributeValue::boolean(true));
  item.set("bs", AttributeValue::binary_set({"a", "b"}));
  item.set("l", AttributeValue::list({AttributeValue::string(""), AttributeValue::list({}), AttributeValue::map(inner),
                                      AttributeValue::boolean(false)}));
  item.set("n", AttributeValue::number(Number::of(-12)));
  item.set("ns", AttributeValue::number_set({Number::of(2), Number::of(10)}));
  item.set("ss", AttributeValue::string_set({"x", "y"}));
  return item;
}

constexpr std::string_view kEveryType =
    R"({"b":{"B":""},"bool":{"BOOL":true},"bs":{"BS":["YQ==","Yg=="]},)"
    R"("l":{"L":[{"S":""},{"L":[]},{"M":{"k\n":{"NULL":true},"m":{"M":{}}}},{"BOOL":false}]},)"
    R"("n":{"N":"-12"},"ns":{"NS":["2","10"]},"ss":{"SS":["x","y"]}})";

TEST(JsonWriter, WritesAnItemInItsTypedForm) {
  JsonWriter json;
  json.write_item(every_type());
  EXPECT_EQ(std::move(json).take(), kEveryType);
}

TEST(JsonWriter, WritesAnEncodedItemAsTheItemItself) {
  const std::string stored = model::encode_item(every_type());
  JsonWriter json;
  json.begin_array();
  ASSERT_TRUE(json.write_encoded_item(stored).ok());
  ASSERT_TRUE(json.write_encoded_item(stored).ok());
  json.end_array();
  EXPECT_EQ(std::move(json).take(), "[" + std::string(kEveryType) + "," + std::string(kEveryType) + "]");
}

TEST(JsonWriter, RefusesBytesThatAreNoItem) {
  JsonWriter json;
  const auto written = json.write_encoded_item("\xff nonsense");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind(), ErrorKind::kCorrupt);
}

TEST(JsonWriter, WritesASingleMapAsAValue) {
  AttributeMap map;
  map.set("a", AttributeValue::number(Number::of(1)));
  JsonWriter json;
  json.write_value(AttributeValue::map(map));
  EXPECT_EQ(std::move(json).take(), R"({"M":{"a":{"N":"1"}}})");
}

}  // namespace
}  // namespace partita::wire
