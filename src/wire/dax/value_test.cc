#include "wire/dax/value.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "model/fault.h"
#include "model/item_codec.h"
#include "model/item_walk.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {
namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Fault;
using model::Item;
using model::ItemWriter;
using model::Number;
using model::Type;

// The fault of both readers, which agree.
Fault value_fault(std::string_view bytes) {
  CborReader in(bytes);
  const auto read = read_value(in);
  CborReader again(bytes);
  ItemWriter out(0);
  const auto copied = copy_value(again, out);
  EXPECT_FALSE(read.ok()) << to_hex(bytes);
  EXPECT_FALSE(copied.ok()) << to_hex(bytes);
  EXPECT_FALSE(in.ok());
  EXPECT_FALSE(again.ok());
  if (read.ok() || copied.ok()) return Fault::kCount;
  EXPECT_EQ(read.error().reason(), copied.error().reason()) << to_hex(bytes);
  return model::fault_of(read.error());
}

// The value of both readers.
AttributeValue value_from(std::string_view bytes) {
  CborReader in(bytes);
  auto read = read_value(in);
  EXPECT_TRUE(read.ok() && in.finished()) << to_hex(bytes);
  if (!read.ok()) return AttributeValue();

  CborReader again(bytes);
  ItemWriter out(0);
  out.members(1);
  out.name("a");
  EXPECT_TRUE(copy_value(again, out).ok() && again.finished()) << to_hex(bytes);
  const std::string stored = std::move(out).take();
  Item item;
  item.set("a", *read);
  EXPECT_EQ(to_hex(stored), to_hex(model::encode_item(item)));
  return *read;
}

std::string cbor_from(const AttributeValue& value) {
  CborWriter out;
  write_value(out, value);
  return std::move(out).take();
}

AttributeValue exact(std::string_view text) { return AttributeValue::number(Number::parse(text).value()); }

AttributeMap map_from(std::vector<AttributeMap::Entry> entries) { return AttributeMap::of(std::move(entries)); }

TEST(DaxValueTest, ReadsAndWritesEachType) {
  struct Case {
    std::string_view hex;
    AttributeValue value;
  };
  const Case cases[] = {
      {"62676f", AttributeValue::string("go")},
      {"60", AttributeValue::string("")},
      {"42abcd", AttributeValue::binary("\xab\xcd")},
      {"f4", AttributeValue::boolean(false)},
      {"f5", AttributeValue::boolean(true)},
      {"f6", AttributeValue::null()},
      {"29", exact("-10")},
      {"c482200f", exact("1.5")},
      {"8361610280", AttributeValue::list({AttributeValue::string("a"), exact("2"), AttributeValue::list({})})},
      {"a2616101616242abcd",
       AttributeValue::map(map_from({{"a", exact("1")}, {"b", AttributeValue::binary("\xab\xcd")}}))},
      {"d90cf98261616162", AttributeValue::string_set({"a", "b"})},
      {"d90cfa82c482200f02", AttributeValue::number_set({Number::parse("1.5").value(), Number::of(2)})},
      {"d90cfb8141ab", AttributeValue::binary_set({"\xab"})},
  };
  for (const auto& [hex, value] : cases) {
    EXPECT_EQ(to_hex(cbor_from(value)), hex);
    EXPECT_EQ(value_from(from_hex(hex)), value) << hex;
  }
}

TEST(DaxValueTest, ReadsMembersInAnyOrder) {
  EXPECT_EQ(value_from(from_hex("d90cf98261626161")), AttributeValue::string_set({"a", "b"}));
  EXPECT_EQ(value_from(from_hex("f7")), AttributeValue::null());
  EXPECT_EQ(value_from(from_hex("fb3ff8000000000000")), exact("1.5"));
  // {"c": {"z": 1, "y": [2]}, "b": "x", "a": null}
  EXPECT_EQ(
      value_from(from_hex("a36163a2617a0161798102616261786161f6")),
      AttributeValue::map(map_from(
          {{"a", AttributeValue::null()},
           {"b", AttributeValue::string("x")},
           {"c", AttributeValue::map(map_from({{"y", AttributeValue::list({exact("2")})}, {"z", exact("1")}}))}})));
  // More members than fit without memory, in descending order.
  CborWriter out;
  out.map(100);
  AttributeMap map;
  for (int i = 199; i >= 100; --i) {
    out.text(std::to_string(i));
    out.integer(i);
    map.set(std::to_string(i), AttributeValue::number(Number::of(i)));
  }
  EXPECT_EQ(value_from(out.view()), AttributeValue::map(std::move(map)));
}

TEST(DaxValueTest, RefusesWhatIsNoValue) {
  for (const std::string_view hex : {"",
                                     "ff",
                                     "f8ff",
                                     "f93e00",
                                     "f0",
                                     "9f01ff",
                                     "bf616101ff",
                                     "7f6161ff",
                                     "5f41abff",
                                     "6261",
                                     "42ab",
                                     "8201",
                                     "9bffffffffffffffff",
                                     "bb7fffffffffffffff",
                                     "a1",
                                     "a16161",
                                     "a10101",
                                     "a1416101",
                                     "c1",
                                     "c101",
                                     "d90cf8816161",
                                     "d90cfc00",
                                     "d90cf9",
                                     "d90cf96161",
                                     "d90cf99f6161ff",
                                     "d90cf98101",
                                     "d90cfa816161",
                                     "d90cfb816161",
                                     "d90cf9816",
                                     "61ff",
                                     "a161ff01",
                                     "d90cf98161ff",
                                     "a2616101616102",
                                     "a3616201616102616203"}) {
    EXPECT_EQ(value_fault(from_hex(hex)), Fault::kDaxMalformed) << hex;
  }
}

TEST(DaxValueTest, ReportsDynamoDBsFaults) {
  EXPECT_EQ(value_fault(from_hex("d90cf980")), Fault::kEmptyStringSet);
  EXPECT_EQ(value_fault(from_hex("d90cfa80")), Fault::kEmptyNumberSet);
  EXPECT_EQ(value_fault(from_hex("d90cfb80")), Fault::kEmptyBinarySet);
  EXPECT_EQ(value_fault(from_hex("d90cf982616161")), Fault::kDaxMalformed);
  EXPECT_EQ(value_fault(from_hex("d90cf98261616161")), Fault::kDuplicateInStringSet);
  EXPECT_EQ(value_fault(from_hex("d90cfa8203c482211901"
                                 "2c")),
            Fault::kDuplicateInNumberSet)
      << "3 and 3.00";
  EXPECT_EQ(value_fault(from_hex("d90cfb8241ab41ab")), Fault::kDuplicateInBinarySet);
  EXPECT_EQ(value_fault(from_hex("d90cf9826161f6")), Fault::kNullInSet);
  EXPECT_EQ(value_fault(from_hex("c482187e01")), Fault::kNumberOverflow);
  EXPECT_EQ(value_fault(from_hex("fb7ff8000000000000")), Fault::kNumberSyntax);
  EXPECT_EQ(value_fault(from_hex("d90cfa81c482388201")), Fault::kNumberUnderflow);
  EXPECT_EQ(value_fault(from_hex("a16001")), Fault::kEmptyAttributeName);
  EXPECT_EQ(value_fault(from_hex("a260016161d90cf980")), Fault::kEmptyStringSet) << "values are judged before names";
  CborWriter out;
  out.map(1);
  out.text(std::string(65'536, 'x'));
  out.null();
  EXPECT_EQ(value_fault(out.view()), Fault::kAttributeNameTooLong);
}

TEST(DaxValueTest, ListsTheMembersOfASetWithDuplicates) {
  const std::string strings = from_hex("d90cf9846162616161626161");
  CborReader in(strings);
  EXPECT_EQ(read_value(in).error().args(), (std::vector<std::string>{"[b, a, b, a]", R"(["a", "b", "b", "a"])"}));
  const std::string binaries = from_hex("d90cfb8341ab41ab4101");
  CborReader blobs(binaries);
  EXPECT_EQ(read_value(blobs).error().args(),
            (std::vector<std::string>{"[qw==, qw==, AQ==]", R"(["qw==","qw==","AQ=="])"}));
}

TEST(DaxValueTest, NestsAsDeepAsDynamoDB) {
  const auto nested = [](int levels) { return std::string(static_cast<size_t>(levels), '\x81') + "\xf6"; };
  EXPECT_EQ(model::nesting_depth(value_from(nested(31))), 31);
  EXPECT_EQ(value_fault(nested(32)), Fault::kNestingTooDeep);
  EXPECT_EQ(value_fault(nested(1'000'000)), Fault::kNestingTooDeep);
  const std::string alone = nested(32);
  CborReader in(alone);
  EXPECT_TRUE(read_value(in, Nesting::kAlone).ok());
}

// Lets the process have that much more memory, and no more, while it lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(uint64_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{pages * static_cast<uint64_t>(getpagesize()) + bytes, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST(DaxValueTest, ACountReservesNoMemory) {
  // Each list says that all that follows are its members.
  std::string bytes;
  for (size_t level = 0; level < 31; ++level) bytes += from_hex("9a0003ffff");
  bytes += std::string(1 << 18, '\xf6');
  const MemoryLimit limit(1 << 27);
  EXPECT_EQ(value_fault(bytes), Fault::kDaxMalformed);
}

TEST(DaxValueTest, TinyMembersTakeLittleMemory) {
  constexpr size_t kMembers = size_t{15} << 20;
  const std::string count = from_hex("9a00f00000");
  const std::string cases[] = {count + std::string(kMembers, '\xf6'), count + std::string(kMembers, '\x80'),
                               from_hex("d90cf9") + count + std::string(kMembers, '\x60'),
                               from_hex("d90cfa") + count + std::string(kMembers, '\x01')};
  const MemoryLimit limit(1 << 26);
  for (const std::string& bytes : cases) EXPECT_EQ(value_fault(bytes), Fault::kItemTooLarge);
}

TEST(DaxValueTest, WritesStoredItems) {
  Item item;
  item.set("b", AttributeValue::binary("\xab"));
  item.set("bool", AttributeValue::boolean(true));
  item.set("bs", AttributeValue::binary_set({"\x01", "\x02"}));
  item.set("list", AttributeValue::list({AttributeValue::null(), exact("-4.5")}));
  item.set("map", AttributeValue::map(map_from({{"x", AttributeValue::string("y")}})));
  item.set("ns", AttributeValue::number_set({Number::of(1), Number::of(-2)}));
  item.set("ss", AttributeValue::string_set({"a", "b"}));
  CborWriter out;
  StoredValues values(out);
  ASSERT_TRUE(model::visit_item(model::encode_item(item), values).ok());
  EXPECT_EQ(to_hex(out.view()), to_hex(cbor_from(AttributeValue::map(item))));
  EXPECT_EQ(value_from(out.view()), AttributeValue::map(item));
}

}  // namespace
}  // namespace partita::wire::dax
