#include "model/item_codec.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "model/item_walk.h"
#include "model/item_writer.h"
#include "model/size.h"

namespace partita::model {
namespace {

using Value = AttributeValue;

std::string random_text(Random& random, uint64_t longest) {
  std::string text;
  for (uint64_t left = random.below(longest); left > 0; --left) text.push_back(static_cast<char>(random.next()));
  return text;
}

Number random_number(Random& random) {
  std::string text = random.below(2) != 0 ? "-" : "";
  for (uint64_t left = 1 + random.below(38); left > 0; --left) text += static_cast<char>('0' + random.below(10));
  text += "e" + std::to_string(static_cast<int>(random.below(200)) - 120);
  return *Number::parse(text);
}

Value random_value(Random& random, int depth);

AttributeMap random_map(Random& random, int depth) {
  AttributeMap map;
  for (uint64_t left = random.below(6); left > 0; --left) {
    map.set(random_text(random, 8), random_value(random, depth - 1));
  }
  return map;
}

template <class Member, class Make>
std::vector<Member> random_members(Random& random, Make make) {
  std::vector<Member> members;
  for (uint64_t left = 1 + random.below(5); left > 0; --left) members.push_back(make());
  return members;
}

Value random_value(Random& random, int depth) {
  const auto text = [&] { return random_text(random, 12); };
  const auto number = [&] { return random_number(random); };
  switch (static_cast<Type>(random.below(10))) {
    case Type::kS:
      return Value::string(random_text(random, 300));
    case Type::kN:
      return Value::number(number());
    case Type::kB:
      return Value::binary(text());
    case Type::kBool:
      return Value::boolean(random.below(2) != 0);
    case Type::kM:
      return depth > 0 ? Value::map(random_map(random, depth)) : Value::null();
    case Type::kL:
      if (depth == 0) return Value::null();
      return Value::list(random_members<Value>(random, [&] { return random_value(random, depth - 1); }));
    case Type::kSS:
      return Value::string_set(random_members<std::string>(random, text));
    case Type::kNS:
      return Value::number_set(random_members<Number>(random, number));
    case Type::kBS:
      return Value::binary_set(random_members<std::string>(random, text));
    default:
      return Value::null();
  }
}

// Writes down what it is shown, in a form that a value can be written in too.
class Scribe {
 public:
  std::string text;

  void begin_map(size_t members) { text += "{" + std::to_string(members); }
  void name(std::string_view name) { text.append(" ").append(name).append("="); }
  void end_map() { text += "}"; }
  void begin_list(size_t members) { text += "[" + std::to_string(members); }
  void end_list() { text += "]"; }
  void string(std::string_view shown) { text.append("s:").append(shown); }
  void number(const Number& number) { text.append("n:").append(number.to_string()); }
  void binary(std::string_view bytes) { text.append("b:").append(bytes); }
  void boolean(bool value) { text += value ? "true" : "false"; }
  void null() { text += "null"; }
  void begin_set(Type type, size_t members) {
    text.append(type_name(type)).append("<").append(std::to_string(members));
  }
  void end_set() { text += ">"; }

  void show(const AttributeMap& map) {
    begin_map(map.size());
    for (const auto& [key, value] : map) {
      name(key);
      show(value);
    }
    end_map();
  }

  void show(const Value& value) {
    switch (value.type()) {
      case Type::kS:
        return string(value.as_string());
      case Type::kN:
        return number(value.as_number());
      case Type::kB:
        return binary(value.as_binary());
      case Type::kBool:
        return boolean(value.as_bool());
      case Type::kNull:
        return null();
      case Type::kM:
        return show(value.as_map());
      case Type::kL:
        begin_list(value.as_list().size());
        for (const Value& member : value.as_list()) show(member);
        return end_list();
      default:
        return show_set(value);
    }
  }

 private:
  void show_set(const Value& value) {
    if (value.is(Type::kNS)) {
      begin_set(Type::kNS, value.as_number_set().size());
      for (const Number& member : value.as_number_set()) number(member);
    } else if (value.is(Type::kSS)) {
      begin_set(Type::kSS, value.as_string_set().size());
      for (const std::string& member : value.as_string_set()) string(member);
    } else {
      begin_set(Type::kBS, value.as_binary_set().size());
      for (const std::string& member : value.as_binary_set()) binary(member);
    }
    end_set();
  }
};

TEST(ItemCodecTest, EveryReaderSeesWhatWasWritten) {
  SeededRandom random(5);
  for (int i = 0; i < 5'000; ++i) {
    const Item item = random_map(random, 4);
    const std::string bytes = encode_item(item);
    const auto decoded = decode_item(bytes);
    ASSERT_TRUE(decoded.ok());
    ASSERT_EQ(*decoded, item);
    ASSERT_EQ(*encoded_item_size(bytes), item_size(item));
    Scribe shown;
    Scribe wanted;
    wanted.show(item);
    ASSERT_TRUE(visit_item(bytes, shown).ok());
    ASSERT_EQ(shown.text, wanted.text);
    for (const auto& [name, value] : item) ASSERT_EQ(*decode_attribute(bytes, name), std::optional(value));
    const std::string other = random_text(random, 4);
    const auto found = decode_attribute(bytes, other);
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->has_value(), item.contains(other));
    Item wanted_part;
    std::vector<std::string> names{other};
    if (item.contains(other)) wanted_part.set(other, *item.find(other));
    for (const auto& [name, value] : item) {
      if (random.below(2) == 0) names.push_back(name), wanted_part.set(name, value);
    }
    std::ranges::sort(names);
    ASSERT_EQ(*decode_attributes(bytes, names), wanted_part);
  }
}

TEST(ItemCodecTest, RefusesEveryTruncationAndEveryTail) {
  SeededRandom random(6);
  for (int i = 0; i < 300; ++i) {
    const Item item = random_map(random, 3);
    std::vector<std::string> all_names;
    for (const auto& entry : item) all_names.push_back(entry.name);
    const std::string bytes = encode_item(item);
    for (size_t size = 0; size < bytes.size(); ++size) {
      const std::string part = bytes.substr(0, size);  // its own allocation, so that a read past it is noticed
      static_cast<void>(decode_attributes(part, all_names).ok());
      const auto decoded = decode_item(part);
      ASSERT_FALSE(decoded.ok());
      ASSERT_EQ(decoded.error().kind(), ErrorKind::kCorrupt);
      Scribe scribe;
      ASSERT_FALSE(visit_item(part, scribe).ok());
    }
    ASSERT_FALSE(decode_item(bytes + "x").ok());
  }
}

TEST(ItemWriterTest, BringsMembersIntoOrder) {
  Item item;
  item.set("a", Value::string("x"));
  item.set("b", Value::list({Value::null()}));
  item.set("c", Value::number(Number::of(7)));
  ItemWriter out(0);
  out.members(3);
  std::vector<ItemWriter::Part> parts;
  for (const std::string_view name : {"c", "a", "b"}) {
    const size_t begin = out.position();
    out.name(name);
    out.value(*item.find(name));
    parts.push_back({begin, out.position()});
  }
  std::rotate(parts.begin(), parts.begin() + 1, parts.end());
  out.reorder(parts);
  EXPECT_EQ(std::move(out).take(), encode_item(item));
}

TEST(ItemCodecTest, SurvivesFlippedBytes) {
  SeededRandom random(7);
  size_t refused = 0;
  for (int i = 0; i < 2'000; ++i) {
    const std::string bytes = encode_item(random_map(random, 3));
    for (int j = 0; j < 50; ++j) {
      std::string damaged = bytes;
      for (uint64_t left = 1 + random.below(3); left > 0; --left) {
        damaged[random.below(damaged.size())] = static_cast<char>(random.next());
      }
      const auto decoded = decode_item(damaged);
      Scribe scribe;
      // Both walk the same bytes with the same reader, so they agree on what is damaged.
      ASSERT_EQ(visit_item(damaged, scribe).ok(), decoded.ok());
      static_cast<void>(decode_attribute(damaged, random_text(random, 3)).ok());
      static_cast<void>(encoded_item_size(damaged).ok());
      if (!decoded.ok()) ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(ItemCodecTest, RefusesOtherVersions) {
  Item item;
  item.set("a", Value::null());
  std::string bytes = encode_item(item);
  bytes[0] = 2;
  EXPECT_FALSE(decode_item(bytes).ok());
  EXPECT_FALSE(encoded_item_size(bytes).ok());
  EXPECT_FALSE(decode_attribute(bytes, "a").ok());
}

TEST(ItemCodecTest, RefusesBottomlessNesting) {
  Value value = Value::null();
  for (int i = 0; i < 250; ++i) value = Value::list({std::move(value)});
  Item item;
  item.set("deep", value);
  EXPECT_EQ(*decode_item(encode_item(item)), item);
  for (int i = 0; i < 1000; ++i) value = Value::list({std::move(value)});
  item.set("deep", value);
  EXPECT_FALSE(decode_item(encode_item(item)).ok());
}

TEST(ItemCodecTest, BytesOnDiskStayAsTheyAre) {
  Item item;
  item.set("a", Value::string("xy"));
  item.set("b", Value::list({Value::boolean(true), Value::null(), Value::number(Number::of(-7))}));
  EXPECT_EQ(encode_item(item), std::string("\x01\x0f\x02"
                                           "\x01"
                                           "a\x00\x02xy"
                                           "\x01"
                                           "b\x06\x00\x00\x00\x09\x03\x03\x01\x04\x01\x03\xa7\x01\x07",
                                           25));
}

}  // namespace
}  // namespace partita::model
