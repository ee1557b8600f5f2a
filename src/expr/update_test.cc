#include "expr/update.h"

#include <gtest/gtest.h>

#include "expr/legacy.h"
#include "expr/test_support.h"
#include "model/size.h"

namespace partita::expr {
namespace {

using namespace test;

Update update_of(std::string_view text, Pairs values = {}) {
  Placeholders placeholders = given(values);
  auto update = parse_update(text, placeholders);
  EXPECT_EQ(outcome(update), "ok") << text;
  return update.ok() ? *std::move(update) : Update();
}

const Item& key() {
  static const Item item = attributes({{"p", s("k")}});
  return item;
}

// The item after the update, without its key; the item is there before.
Result<Item> after(const Item& old, std::string_view text, Pairs values = {}) {
  Item with_key = old;
  with_key.set("p", s("k"));
  PARTITA_TRY(Item item, apply(update_of(text, values), &with_key, key()));
  item.erase("p");
  return item;
}

TEST(Update, SetsFromTheItemAsItWas) {
  const Item old = attributes({{"a", n(1)}, {"b", n(2)}});
  EXPECT_EQ(*after(old, "SET a = b, b = a"), attributes({{"a", n(2)}, {"b", n(1)}}));
  EXPECT_EQ(*after(old, "REMOVE a SET c = a"), attributes({{"b", n(2)}, {"c", n(1)}}));
  EXPECT_EQ(*after(old, "ADD a :v SET c = a", {{":v", n(5)}}), attributes({{"a", n(6)}, {"b", n(2)}, {"c", n(1)}}));
  EXPECT_EQ(outcome(after(old, "SET c = d")),
            "The provided expression refers to an attribute that does not exist in the item");
}

TEST(Update, Calculates) {
  const Item old = attributes({{"a", n(1)}, {"t", s("x")}});
  EXPECT_EQ(*after(old, "SET a = a + :v, b = :v - a", {{":v", n("0.5")}}),
            attributes({{"a", n("1.5")}, {"b", n("-0.5")}, {"t", s("x")}}));
  EXPECT_EQ(*after(old, "SET b = if_not_exists(b, a) + if_not_exists(a, :v)", {{":v", n(7)}}),
            attributes({{"a", n(1)}, {"b", n(2)}, {"t", s("x")}}));
  EXPECT_EQ(outcome(after(old, "SET b = a + t")), "An operand in the update expression has an incorrect data type");
  EXPECT_EQ(outcome(after(old, "SET b = a + c")),
            "The provided expression refers to an attribute that does not exist in the item");
  EXPECT_NE(outcome(after(old, "SET b = a + :v", {{":v", n("9e125")}})), "ok");
}

TEST(Update, AppendsLists) {
  const Item old = attributes({{"l", l({n(1)})}, {"t", s("x")}});
  EXPECT_EQ(after(old, "SET l = list_append(l, :v)", {{":v", l({n(2)})}})->find("l")->as_list().size(), 2u);
  EXPECT_EQ(*after(old, "SET l = list_append(:v, l) REMOVE t", {{":v", l({n(2)})}}),
            attributes({{"l", l({n(2), n(1)})}}));
  EXPECT_EQ(outcome(after(old, "SET l = list_append(l, t)")),
            "An operand in the update expression has an incorrect data type");
  EXPECT_EQ(*after(attributes({}), "SET l = list_append(if_not_exists(l, :e), :v)", {{":e", l({})}, {":v", l({n(2)})}}),
            attributes({{"l", l({n(2)})}}));
}

TEST(Update, ReachesIntoDocuments) {
  const Item old = attributes({{"a", m({{"b", n(3)}, {"c", l({s("hi"), m({{"x", m({{"y", l({n(3), n(5)})}})}})})}})}});
  EXPECT_EQ(*after(old, "SET a.c[1].x.y[1] = :v, a.z = a.b REMOVE a.b", {{":v", n(9)}}),
            attributes({{"a", m({{"c", l({s("hi"), m({{"x", m({{"y", l({n(3), n(9)})}})}})})}, {"z", n(3)}})}}));
  const std::string invalid = "The document path provided in the update expression is invalid for update";
  const Item flat = attributes({{"a", s("x")}, {"b", l({s("hi")})}});
  for (const char* text : {"SET a.c = :v", "SET b.c = :v", "SET c.c = :v", "SET a[0] = :v", "SET c[0] = :v",
                           "SET b[5].x = :v", "ADD c.c :v"}) {
    EXPECT_EQ(outcome(after(flat, text, {{":v", n(7)}})), invalid) << text;
  }
  for (const char* text : {"REMOVE a.c", "REMOVE b.c", "REMOVE c.c", "REMOVE a[0]", "REMOVE c[0]"}) {
    EXPECT_EQ(outcome(after(flat, text)), invalid) << text;
  }
  EXPECT_EQ(*after(flat, "REMOVE b[7], c"), flat);
  EXPECT_EQ(*after(attributes({{"a", m({{"b", n(1)}})}, {"l", l({n(1)})}}), "REMOVE a.b, l[0], a.z"),
            attributes({{"a", m({})}, {"l", l({})}}));
}

TEST(Update, PositionsMeanTheListAsItWas) {
  const Item old = attributes({{"a", l({n(2), n(3), n(4), n(5), n(6), n(7)})}});
  const Item expected = attributes({{"a", l({n(2), n(4), n(17), n(6), n(7)})}});
  EXPECT_EQ(*after(old, "REMOVE a[1] SET a[3] = :v", {{":v", n(17)}}), expected);
  EXPECT_EQ(*after(old, "SET a[3] = :v REMOVE a[1]", {{":v", n(17)}}), expected);
  EXPECT_EQ(*after(old, "REMOVE a[0], a[5], a[2]"), attributes({{"a", l({n(3), n(5), n(6)})}}));
  EXPECT_EQ(*after(old, "REMOVE a[1] SET a[99] = :v", {{":v", n(17)}}),
            attributes({{"a", l({n(2), n(4), n(5), n(6), n(7), n(17)})}}));
  const Item nested = attributes({{"a", l({n(0), l({n(1), n(2)}), n(3)})}});
  EXPECT_EQ(*after(nested, "REMOVE a[0], a[1][0] SET a[1][9] = :v", {{":v", n(8)}}),
            attributes({{"a", l({l({n(2), n(8)}), n(3)})}}));
}

TEST(Update, AppendsPastTheEndInOrderOfPositions) {
  const Item old = attributes({{"a", l({s("one")})}});
  EXPECT_EQ(*after(old, "SET a[84] = :1, a[37] = :2, a[17] = :3, a[50] = :4",
                   {{":1", s("a1")}, {":2", s("a2")}, {":3", s("a3")}, {":4", s("a4")}}),
            attributes({{"a", l({s("one"), s("a3"), s("a2"), s("a4"), s("a1")})}}));
  EXPECT_EQ(*after(attributes({{"a", l({})}}), "SET a[0] = :v", {{":v", n(1)}}), attributes({{"a", l({n(1)})}}));
}

TEST(Update, AddsNumbersAndSets) {
  const Item old = attributes({{"n", n(3)}, {"w", ss({"b", "c"})}, {"l", l({n(1)})}, {"m", m({{"n", n(1)}})}});
  const auto sets =
      after(old, "ADD w :w, x :w, n :n, z :n, m.n :n, m.o :n REMOVE l", {{":w", ss({"a", "c"})}, {":n", n(-4)}});
  EXPECT_EQ(*sets, attributes({{"n", n(-1)},
                               {"w", ss({"a", "b", "c"})},
                               {"x", ss({"a", "c"})},
                               {"z", n(-4)},
                               {"m", m({{"n", n(-3)}, {"o", n(-4)}})}}));
  const std::string wrong = "An operand in the update expression has an incorrect data type";
  EXPECT_EQ(outcome(after(old, "ADD w :v", {{":v", n(1)}})), wrong);
  EXPECT_EQ(outcome(after(old, "ADD w :v", {{":v", ns({1})}})), wrong);
  EXPECT_EQ(outcome(after(old, "ADD l :v", {{":v", ns({1})}})), wrong);
  EXPECT_EQ(outcome(after(old, "ADD n :v", {{":v", ss({"x"})}})), wrong);
}

TEST(Update, DeletesFromSets) {
  const Item old = attributes({{"w", ss({"a", "b"})}, {"n", ns({1, 2})}, {"y", bs({"q"})}, {"t", s("x")}});
  EXPECT_EQ(
      *after(old, "DELETE w :w, n :n, y :y, z :w", {{":w", ss({"a", "zz"})}, {":n", ns({3})}, {":y", bs({"q", "r"})}}),
      attributes({{"w", ss({"b"})}, {"n", ns({1, 2})}, {"t", s("x")}}));
  EXPECT_EQ(outcome(after(old, "DELETE t :w", {{":w", ss({"a"})}})),
            "An operand in the update expression has an incorrect data type");
}

TEST(Update, MakesItems) {
  const auto made = [](std::string_view text, Pairs values = {}) {
    return apply(update_of(text, values), nullptr, key());
  };
  EXPECT_EQ(*made("SET a = :v, b = if_not_exists(b, :v) ADD c :v", {{":v", n(1)}}),
            attributes({{"p", s("k")}, {"a", n(1)}, {"b", n(1)}, {"c", n(1)}}));
  EXPECT_EQ(*made("SET a = p"), attributes({{"p", s("k")}, {"a", s("k")}}));
  EXPECT_EQ(*made("REMOVE x.y, z[0], a DELETE q.r :s", {{":s", ss({"x"})}}), key());
  EXPECT_EQ(outcome(made("SET c.c = :v", {{":v", n(1)}})),
            "The document path provided in the update expression is invalid for update");
  EXPECT_EQ(*apply(Update(), nullptr, key()), key());
  EXPECT_TRUE(Update().creates_item());
  EXPECT_TRUE(update_of("REMOVE a ADD b :v", {{":v", n(1)}}).creates_item());
  EXPECT_FALSE(update_of("REMOVE a DELETE b :v", {{":v", ss({"x"})}}).creates_item());
}

TEST(Update, LeavesTheOldItemAlone) {
  const Item old = attributes({{"p", s("k")}, {"l", l({n(1), n(2)})}});
  const Item copy = old;
  ASSERT_TRUE(apply(update_of("REMOVE l[0] SET x = l"), &old, key()).ok());
  EXPECT_EQ(old, copy);
}

TEST(Update, RefusesDepth) {
  AttributeValue deep = n(1);
  for (int i = 0; i < 31; ++i) deep = l({deep});
  EXPECT_TRUE(after(attributes({}), "SET a = :v", {{":v", deep}}).ok());
  const Item old = attributes({{"a", m({})}});
  EXPECT_FALSE(after(old, "SET a.b = :v", {{":v", deep}}).ok());
}

TEST(Update, GuardsKeys) {
  model::KeySchema schema;
  schema.partition = {{"p", model::Type::kS}};
  schema.sort = {{"c", model::Type::kS}};
  EXPECT_EQ(outcome(check_no_key(update_of("SET a = b, c = a"), schema)),
            "One or more parameter values were invalid: Cannot update attribute c. This attribute is part of the key");
  EXPECT_EQ(outcome(check_no_key(update_of("REMOVE p.x"), schema)),
            "One or more parameter values were invalid: Cannot update attribute p. This attribute is part of the key");
  EXPECT_EQ(outcome(check_no_key(update_of("SET a = p"), schema)), "ok");
}

TEST(Update, ShowsTouchedLeaves) {
  const Item old = attributes({{"a", m({{"b", n(1)}, {"c", n(2)}})}, {"l", l({n(1), n(2), n(3)})}, {"x", n(1)}});
  const Update update = update_of("SET a.b = :v, l[9] = :v REMOVE l[1], gone, x", {{":v", n(7)}});
  EXPECT_EQ(touched(update, old), attributes({{"a", m({{"b", n(1)}})}, {"l", l({n(2)})}, {"x", n(1)}}));
  const auto item = apply(update, &old, key());
  // The element that moved into the removed one's place, and nothing for what was set past the end.
  EXPECT_EQ(touched(update, *item), attributes({{"a", m({{"b", n(7)}})}, {"l", l({n(3)})}}));
  EXPECT_EQ(touched(update_of("REMOVE x"), Item()), Item());
}

TEST(Update, ListsTheAttributesThatItLooksInto) {
  EXPECT_EQ(update_of("SET a.b = c, d = if_not_exists(e[0], f.g) + a.z REMOVE h[1], i").nested_attributes(),
            (std::vector<std::string>{"a", "e", "f", "h"}));
}

TEST(Update, WeighsWhatItWrites) {
  const auto bytes = [](std::string_view text, Pairs values) { return statement_bytes(update_of(text, values)); };
  EXPECT_EQ(bytes("SET abc = :v", {{":v", s("12345")}}), 3u + 19 + 3 + 5);
  EXPECT_EQ(bytes("SET a = :v, b = :v REMOVE big", {{":v", s("12345")}}), 3u + 2 * (19 + 1 + 5) + 1 + 3);
  EXPECT_EQ(bytes("ADD a :v DELETE c :w", {{":v", ss({"xy"})}, {":w", ss({"x"})}}), 3u + 19 + 1 + 2 + 1 + 1);
  EXPECT_EQ(bytes("SET twin = big", {}), 3u + 19 + 4 + (1 + 14 + 3));
  EXPECT_EQ(bytes("SET a.bc = m.z", {}), 3u + 19 + (1 + 4 + 2) + (1 + 15 + 15));
  EXPECT_EQ(bytes("SET a = a + :v", {{":v", n(1)}}), 3u + 19 + 1 + 34 + (1 + 14 + 1) + 2);
  EXPECT_EQ(bytes("SET a = if_not_exists(a, :v) REMOVE l[12]", {{":v", s("x")}}),
            3u + 19 + 1 + 39 + 16 + 1 + 1 + 1 + 6);
}

}  // namespace
}  // namespace partita::expr
