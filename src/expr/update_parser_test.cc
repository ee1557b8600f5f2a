// What is refused of an UpdateExpression before an item is looked at, and in which words.
#include <gtest/gtest.h>

#include "expr/test_support.h"
#include "expr/update.h"

namespace partita::expr {
namespace {

using namespace test;

std::string refused(std::string_view text, Names names = {}, Pairs values = {}) {
  Placeholders placeholders = given(names, values);
  std::string found = outcome(parse_update(text, placeholders));
  const std::string prefix = "Invalid UpdateExpression: ";
  return found.starts_with(prefix) ? found.substr(prefix.size()) : found;
}

TEST(UpdateParser, NamesTheTokenAndWhatIsAround) {
  EXPECT_EQ(refused("INVALID SYNTAX HERE"), R"(Syntax error; token: "INVALID", near: "INVALID SYNTAX")");
  EXPECT_EQ(refused("SET _123 = :v"), R"(Syntax error; token: "_", near: "SET _123")");
  EXPECT_EQ(refused("ADD hits : incr"), R"(Syntax error; token: ":", near: "hits : incr")");
  EXPECT_EQ(refused("SET a = :v,"), R"(Syntax error; token: "<EOF>", near: ",")");
  EXPECT_EQ(refused("SET a.b = c, set"), R"(Syntax error; token: "set", near: ", set")");
  EXPECT_EQ(refused(""), "The expression can not be empty;");
  EXPECT_EQ(refused("SET " + std::string(4089, 'a') + " = b"),
            "Expression size has exceeded the maximum allowed size;");
}

TEST(UpdateParser, RefusesWhatIsNoUpdate) {
  const char* const bad[] = {
      "whatever",
      "SET",
      "SET a",
      "SET a =",
      "SET :a = :b",
      "SET a = b c",
      "SET a = :b + :c + :d",
      "SET a = if_not_exists(c, :a + :b)",
      "SET a = (b + c) + d",
      "SET a = f()",
      "SET a[:x] = b",
      "SET a[#x] = b",
      "SET hi-there = :a",
      "SET a = b, REMOVE c",
      "REMOVE",
      "REMOVE a = b",
      "REMOVE a,",
      "ADD a",
      "ADD a b",
      "ADD a = :v",
      "DELETE a (:v)",
      "SET a = b REMOVE c d",
  };
  for (const char* text : bad)
    EXPECT_TRUE(refused(text).starts_with("Syntax error; ")) << text << ": " << refused(text);
}

TEST(UpdateParser, AcceptsAllClausesInAnyOrderAndCase) {
  const Pairs values = {{":v", n(1)}, {":s", ss({"x"})}};
  for (const char* text :
       {"set a=:v", " SET a = :v , b=:v remove c,d[1] ADD e :v, f :s DELETE g :s", "delete a :s add b :v set c = d",
        "SET a = b - :v", "SET a = (b - :v)", "SET a = (b) + (:v)", "SET a = if_not_exists(b, :v) + :v",
        "SET a = list_append(if_not_exists(a, b), c)", "SET a = if_not_exists(b, if_not_exists(c, :v))",
        "SET a = if_not_exists(b, list_append(c, d))", "SET a.b[3].#c = d", "SET a.b = c, a.d = c REMOVE a.e[0]"}) {
    Placeholders placeholders = given({{"#c", "c"}}, values);
    EXPECT_EQ(outcome(parse_update(text, placeholders)), "ok") << text;
  }
}

TEST(UpdateParser, FindsReservedWordsFunctionsAndSections) {
  const std::string reserved = "Attribute name is a reserved keyword; reserved keyword: ";
  EXPECT_EQ(refused(" set #c = :c set abOrt = true "), reserved + "abOrt");
  EXPECT_EQ(refused(" remove Absolute "), reserved + "Absolute");
  EXPECT_EQ(refused("set #c = if_not_exist(:c) set c = d"), "Invalid function name; function: if_not_exist");
  EXPECT_EQ(refused("set a = attribute_exists(b)"),
            "The function is not allowed in an update expression; function: attribute_exists");
  const auto twice = [](const char* section) {
    return std::string("The \"") + section + "\" section can only be used once in an update expression;";
  };
  EXPECT_EQ(refused("set a = #c set c = :d"), twice("SET"));
  EXPECT_EQ(refused("remove #d set a = b remove e"), twice("REMOVE"));
  EXPECT_EQ(refused("add #d :e set a = b add e :f"), twice("ADD"));
  EXPECT_EQ(refused("delete #d :e set a = b delete #e :f"), twice("DELETE"));
}

TEST(UpdateParser, FindsUndefinedNamesAndValues) {
  EXPECT_EQ(refused("SET #c = if_not_exists(:c)"),
            "An expression attribute name used in the document path is not defined; attribute name: #c");
  EXPECT_EQ(refused("SET a = if_not_exists(:c)"),
            "An expression attribute value used in expression is not defined; attribute value: :c");
  EXPECT_EQ(refused("SET a = :c REMOVE b"),
            "An expression attribute value used in expression is not defined; attribute value: :c");
}

TEST(UpdateParser, KeepsPathsApart) {
  const auto clash = [](const char* how, const char* one, const char* two) {
    return std::string("Two document paths ") + how +
           " with each other; must remove or rewrite one of these paths; path one: " + one + ", path two: " + two;
  };
  const Names names = {{"#c", "c"}, {"#d", "[3]"}};
  EXPECT_EQ(refused("set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)", names),
            clash("overlap", "[c, [1], a]", "[c]"));
  EXPECT_EQ(refused("set #c[3].#d = a, #c[3] = a", names), clash("overlap", "[c, [3], [3]]", "[c, [3]]"));
  EXPECT_EQ(refused("set #c[3].#d = a, #c.#d[3] = if_not_exists(a)", names),
            clash("conflict", "[c, [3], [3]]", "[c, [3], [3]]"));
  EXPECT_EQ(refused("remove a.#c set a[1] = #d", names), clash("conflict", "[a, c]", "[a, [1]]"));
  EXPECT_EQ(refused("SET a = :v REMOVE a"), clash("overlap", "[a]", "[a]"));
  for (const char* text :
       {"SET a = x, a.b = x", "SET a.b = x, a = x", "SET a.b = x, a.b = x", "SET a.b = x, a.b.c.d = x",
        "SET a.b.c = x, a.b = x", "SET a = x, a[1] = x", "SET a[1][1] = x, a[1] = x", "SET a[1] = x, a[1][1] = x"}) {
    EXPECT_TRUE(refused(text).starts_with("Two document paths overlap")) << text;
  }
  for (const char* text : {"SET a.b = x, a[1] = x", "SET a.b.c = x, a.b[2] = x"}) {
    EXPECT_TRUE(refused(text).starts_with("Two document paths conflict")) << text;
  }
  EXPECT_EQ(refused("SET a.b = x, a.c.d = x, b.x = x, l[1] = x, l[2] = x REMOVE a.x, b.y"), "ok");
}

TEST(UpdateParser, ChecksOperandsOfClauses) {
  const auto wrong = [](const char* clause, const char* type) {
    return std::string("Incorrect operand type for operator or function; operator: ") + clause +
           ", operand type: " + type + ", typeSet: ALLOWED_FOR_" + clause + "_OPERAND";
  };
  EXPECT_EQ(refused("set b = list_append(:a, a), c = if_not_exists(a) add a.b :a", {}, {{":a", s("a")}}),
            wrong("ADD", "STRING"));
  EXPECT_EQ(refused("delete a.b :a", {}, {{":a", s("a")}}), wrong("DELETE", "STRING"));
  EXPECT_EQ(refused("delete a :a", {}, {{":a", n(1)}}), wrong("DELETE", "NUMBER"));
  EXPECT_EQ(refused("add a :a", {}, {{":a", l({})}}), wrong("ADD", "LIST"));
  EXPECT_EQ(refused("add a :a", {}, {{":a", m({})}}), wrong("ADD", "MAP"));
  EXPECT_EQ(refused("add a :a", {}, {{":a", AttributeValue::null()}}), wrong("ADD", "NULL"));
  EXPECT_EQ(refused("add a :a", {}, {{":a", AttributeValue::boolean(false)}}), wrong("ADD", "BOOLEAN"));
  EXPECT_EQ(refused("add a :a", {}, {{":a", b("x")}}), wrong("ADD", "BINARY"));
}

TEST(UpdateParser, ChecksOperandsOfFunctions) {
  const std::string count = "Incorrect number of operands for operator or function; operator or function: ";
  EXPECT_EQ(refused("set a = if_not_exists(c)"), count + "if_not_exists, number of operands: 1");
  EXPECT_EQ(refused("set a = list_append(c, d, e)"), count + "list_append, number of operands: 3");
  const std::string path = "Operator or function requires a document path; operator or function: if_not_exists";
  EXPECT_EQ(refused("set a = if_not_exists(:a, c)", {}, {{":a", n(1)}}), path);
  EXPECT_EQ(refused("set a = if_not_exists(if_not_exists(a, b), c)"), path);
  const std::string type = "Incorrect operand type for operator or function; operator or function: ";
  EXPECT_EQ(refused("set a = list_append(:a, a)", {}, {{":a", s("x")}}), type + "list_append, operand type: S");
  EXPECT_EQ(refused("set a = list_append(a, :a)", {}, {{":a", m({})}}), type + "list_append, operand type: M");
  EXPECT_EQ(refused("set a = a + :a", {}, {{":a", s("x")}}), type + "+, operand type: S");
  EXPECT_EQ(refused("set a = :a - a", {}, {{":a", ss({"x"})}}), type + "-, operand type: SS");
}

TEST(UpdateParser, DoesNotNestListAppend) {
  const std::string misused = "The function is not allowed to be used this way in an expression; function: list_append";
  EXPECT_EQ(refused("SET a = list_append(list_append(a, b), c)"), misused);
  EXPECT_EQ(refused("SET a = list_append(a, b) + c"), misused);
}

TEST(UpdateParser, BoundsPathsParenthesesAndOperators) {
  std::string path = "a";
  for (int i = 0; i < 32; ++i) path += "[0]";
  EXPECT_EQ(refused("REMOVE " + path), "The document path has too many nesting levels; nesting levels: 33");
  EXPECT_EQ(refused("SET a = " + path), "The document path has too many nesting levels; nesting levels: 33");
  EXPECT_EQ(refused("SET a = ((b + c))"), "The expression has redundant parentheses;");
  EXPECT_EQ(refused("SET a = ((b))"), "The expression has redundant parentheses;");
  for (const char* opening : {"(", "f(", "list_append(", "if_not_exists(a,"}) {
    std::string text = "SET a = ";
    while (text.size() + 20 < 4096) text += opening;
    EXPECT_NE(refused(text), "ok");
    EXPECT_NE(refused(text + "b"), "ok");
  }
  std::string sums = "SET ";
  for (int i = 0; i < 301; ++i) sums += (i > 0 ? ",a" : "a") + std::to_string(i) + "=b+c";
  EXPECT_EQ(refused(sums), "The expression contains too many operators; operator count: 301");
  std::string plain = "SET ";
  for (int i = 0; i < 400; ++i) plain += (i > 0 ? ",a" : "a") + std::to_string(i) + "=b";
  EXPECT_EQ(refused(plain), "ok");
}

}  // namespace
}  // namespace partita::expr
