// What is refused before an item is looked at, and in which words. The facts are from tests that others run against
// DynamoDB.
#include <gtest/gtest.h>

#include "expr/condition.h"
#include "expr/test_support.h"

namespace partita::expr {
namespace {

using namespace test;

std::string refused(std::string_view text, Names names = {}, Pairs values = {}) {
  Placeholders placeholders = given(names, values);
  std::string found = outcome(parse_condition(text, ExpressionKind::kFilter, placeholders));
  const std::string prefix = "Invalid FilterExpression: ";
  return found.starts_with(prefix) ? found.substr(prefix.size()) : found;
}

TEST(ConditionParser, NamesTheTokenAndWhatIsAround) {
  EXPECT_EQ(refused("!!"), R"(Syntax error; token: "!", near: "!!")");
  EXPECT_EQ(refused("a > 4"), R"(Syntax error; token: "4", near: "> 4")");
  EXPECT_EQ(refused("a x b"), R"(Syntax error; token: "x", near: "a x b")");
  EXPECT_EQ(refused("a = b AND"), R"(Syntax error; token: "<EOF>", near: "AND")");
  EXPECT_EQ(refused("a  \t"), R"(Syntax error; token: "<EOF>", near: "a")");
  EXPECT_EQ(refused("   "), R"(Syntax error; token: "<EOF>", near: "")");
  EXPECT_EQ(refused("a = #  , b"), R"(Syntax error; token: "#", near: "= #  ,")");
}

TEST(ConditionParser, RefusesWhatIsNoCondition) {
  const char* const bad[] = {
      "things are not gonna be ok",
      "attribute_exists(Pictures-RearView)",
      "attribute_exists(\"Pictures.RearView\")",
      "attribute_exists(Pictures..RearView)",
      "attribute_exists(Pi#ctures.RearView)",
      "attribute_exists()",
      "a in b, c",
      "a > between",
      "a in b",
      "a in ()",
      "a in (b,c,)",
      "(a)between(b.(c.d))and(c)",
      "(a)between(b.c.d)and((c)",
      "#$.b > a",
      "a > :things.stuff",
      "b[:a] > a",
      "b[#_] > a",
      "\xc3\xbc > a",
      "(a)between(b.c[4.5].#d)and(:a)",
      "size(a).b > a",
      "(size(a))[0] > a",
      "a",
      "(a)",
      ":v",
      "NOT a",
      "a AND b",
      "a = b = c",
      "(a = b) = c",
      "a = b OR",
      ")",
      "a = (b",
      "a != b",
      "a = b c",
      "a[-1] = b",
      "SET a = b",
  };
  for (const char* text : bad)
    EXPECT_TRUE(refused(text).starts_with("Syntax error; ")) << text << ": " << refused(text);
}

TEST(ConditionParser, RefusesEmptyAndLongText) {
  EXPECT_EQ(refused(""), "The expression can not be empty;");
  Placeholders none = given();
  EXPECT_EQ(outcome(parse_condition("", ExpressionKind::kCondition, none)),
            "Invalid ConditionExpression: The expression can not be empty;");
  const std::string fits = std::string(4092, 'a') + " = b";
  EXPECT_EQ(refused(fits), "ok");
  EXPECT_EQ(refused(fits + " "), "Expression size has exceeded the maximum allowed size; expression size: 4097");
}

TEST(ConditionParser, RefusesDoubledParentheses) {
  const char* const bad[] = {
      "a=b and a > ((views))",
      "(a)between(((b.c)).d)and(c)",
      "a > whatever((:things), ((a)))",
      "a=b AND ((a=b AND a=b)) AND a=b",
      "a=b OR ((a=b OR a=b)) OR a=b",
      "a=b AND ((a=b AND (a=b AND a=b)))",
      "((a <> b))",
      "NOT ((a = b))",
      "((attribute_exists(a)))",
      "((a)) = b",
  };
  for (const char* text : bad) EXPECT_EQ(refused(text), "The expression has redundant parentheses;") << text;
  for (const char* text : {"((a <> b) AND c <> d)", "(a = b)", "(a) = (b)", "(NOT (a = b))", "((a = b) OR (c = d))",
                           "(a IN ((b), c))", "(attribute_exists(a))", "(size(a)) > b", "contains((a), (b))"}) {
    EXPECT_EQ(refused(text), "ok") << text;
  }
}

TEST(ConditionParser, KnowsFunctions) {
  EXPECT_EQ(refused("a=b and whatever(:things) > a"), "Invalid function name; function: whatever");
  EXPECT_EQ(refused("attRIbute_exIsts((views), #a)"), "Invalid function name; function: attRIbute_exIsts");
  EXPECT_EQ(refused("if_not_exists(a, b) = c"),
            "The function is not allowed in a condition expression; function: if_not_exists");
}

TEST(ConditionParser, RefusesMisplacedFunctions) {
  const std::pair<const char*, const char*> bad[] = {
      {"a=b and attribute_exists((views), (#a)) > b", "attribute_exists"},
      {"attribute_not_exists(things) > b", "attribute_not_exists"},
      {"attribute_type(things, :a) > b", "attribute_type"},
      {"begins_with(things, a) > b", "begins_with"},
      {"contains(:things, c) > b", "contains"},
      {"size(contains(a, b)) > a", "contains"},
      {"size(things)", "size"},
      {"(size(things))", "size"},
      {"NOT size(things)", "size"},
      {"a between b and attribute_exists(things)", "attribute_exists"},
      {"a in (b, attribute_exists(things))", "attribute_exists"},
  };
  for (const auto& [text, function] : bad) {
    EXPECT_EQ(refused(text),
              std::string("The function is not allowed to be used this way in an expression; function: ") + function)
        << text;
  }
}

TEST(ConditionParser, FindsReservedWords) {
  EXPECT_EQ(refused("attribute_exists(views, #a)"), "Attribute name is a reserved keyword; reserved keyword: views");
  EXPECT_EQ(refused(":a < abOrT"), "Attribute name is a reserved keyword; reserved keyword: abOrT");
  // The words that open a section of an update are plain words here.
  EXPECT_EQ(refused("sEt = a"), "Attribute name is a reserved keyword; reserved keyword: sEt");
  EXPECT_EQ(refused("a = b.add"), "Attribute name is a reserved keyword; reserved keyword: add");
  EXPECT_EQ(refused("delete(a)"), "Invalid function name; function: delete");
  EXPECT_EQ(refused("a.name = b.status"), "Attribute name is a reserved keyword; reserved keyword: name");
  EXPECT_EQ(refused("#name = b", {{"#name", "name"}}), "ok");
}

TEST(ConditionParser, FindsUndefinedNamesAndValues) {
  const std::string name = "An expression attribute name used in the document path is not defined; attribute name: ";
  EXPECT_EQ(refused("attribute_exists(#Pictures.RearView, :a) and a=b"), name + "#Pictures");
  EXPECT_EQ(refused("begins_with(Pictures.#RearView)"), name + "#RearView");
  EXPECT_EQ(refused("(#P between :lo and :hi) and (#PC in (:cat1, :cat2))"), name + "#P");
  EXPECT_EQ(refused("#4g > a"), name + "#4g");
  EXPECT_EQ(refused("(a)between(b.c[45].#d)and(:a)"), name + "#d");
  const std::string value = "An expression attribute value used in expression is not defined; attribute value: ";
  EXPECT_EQ(refused("begins_with(:hello, #a, #b)"), value + ":hello");
  EXPECT_EQ(refused(":a < :b"), value + ":a");
  EXPECT_EQ(refused(":_ > a"), value + ":_");
}

TEST(ConditionParser, CountsOperands) {
  const std::tuple<const char*, const char*, const char*> bad[] = {
      {"attribute_exists(things, a) and a=b", "attribute_exists", "2"},
      {"attribute_not_exists(things, b)", "attribute_not_exists", "2"},
      {"attribute_type(things)", "attribute_type", "1"},
      {"begins_with(things)", "begins_with", "1"},
      {"begins_with(things, size(a), b)", "begins_with", "3"},
      {"contains(things)", "contains", "1"},
      {"size(things, a) > b", "size", "2"},
  };
  for (const auto& [text, function, count] : bad) {
    EXPECT_EQ(refused(text),
              std::string("Incorrect number of operands for operator or function; operator or function: ") + function +
                  ", number of operands: " + count);
  }
}

TEST(ConditionParser, ChecksTypesOfConstants) {
  const auto wrong = [](const char* function, const char* type) {
    return std::string("Incorrect operand type for operator or function; operator or function: ") + function +
           ", operand type: " + type;
  };
  EXPECT_EQ(refused("attribute_type(a, size(a)) and a=b"), wrong("attribute_type", "N"));
  EXPECT_EQ(refused("attribute_type(a, :a)", {}, {{":a", n(1)}}), wrong("attribute_type", "N"));
  EXPECT_EQ(refused("attribute_type(a, b)"), wrong("attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"));
  EXPECT_EQ(refused("begins_with(a, size(a)) and a=b"), wrong("begins_with", "N"));
  EXPECT_EQ(refused("begins_with(a, :a)", {}, {{":a", l({})}}), wrong("begins_with", "L"));
  EXPECT_EQ(refused("begins_with(:a, a)", {}, {{":a", ss({"x"})}}), wrong("begins_with", "SS"));
  EXPECT_EQ(refused("size(size(a)) > :a", {}, {{":a", n(1)}}), wrong("size", "N"));
  EXPECT_EQ(refused("size(:a) > a", {}, {{":a", AttributeValue::boolean(true)}}), wrong("size", "BOOL"));
  EXPECT_EQ(refused("size(:a) > a", {}, {{":a", AttributeValue::null()}}), wrong("size", "NULL"));
  EXPECT_EQ(refused("a < :a", {}, {{":a", m({})}}), wrong("<", "M"));
  EXPECT_EQ(refused(":a >= a", {}, {{":a", l({})}}), wrong(">=", "L"));
  EXPECT_EQ(refused("a BETWEEN :a AND b", {}, {{":a", AttributeValue::boolean(true)}}), wrong("BETWEEN", "BOOL"));
  EXPECT_EQ(refused("a = :a AND a <> :a AND a IN (:a)", {}, {{":a", m({})}}), "ok");
}

TEST(ConditionParser, ChecksTheTypeNameOfAttributeType) {
  EXPECT_EQ(refused("attribute_type(a, :a)", {}, {{":a", s("1")}}),
            "Invalid attribute type name found; type: 1, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}");
  for (const char* type : {"S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"}) {
    EXPECT_EQ(refused("attribute_type(a, :a)", {}, {{":a", s(type)}}), "ok");
  }
}

TEST(ConditionParser, WantsPaths) {
  const std::string needs = "Operator or function requires a document path; operator or function: ";
  EXPECT_EQ(refused("attribute_exists(:a) and a=b", {}, {{":a", s("1")}}), needs + "attribute_exists");
  EXPECT_EQ(refused("attribute_not_exists(size(:a))", {}, {{":a", s("1")}}), needs + "attribute_not_exists");
}

TEST(ConditionParser, WantsDistinctOperands) {
  const std::tuple<const char*, const char*, const char*> bad[] = {
      {"a = a AND #a = b AND :views > a", "=", "[a]"},
      {"#a <> a", "<>", "[a]"},
      {"a > #a", ">", "[a]"},
      {"((a=a) OR (a=a))", "=", "[a]"},
      {"contains(ab.bc[1].a, ab.bc[1].#a)", "contains", "[ab, bc, [1], a]"},
      {"contains(a, a)", "contains", "[a]"},
      {"attribute_type(ab.bc[1].#a, ab.bc[1].a)", "attribute_type", "[ab, bc, [1], a]"},
      {"begins_with(ab.bc[1].a, ab.bc[1].#a)", "begins_with", "[ab, bc, [1], a]"},
      {"a BETWEEN b AND a", "BETWEEN", "[a]"},
      {"a IN (b, a)", "IN", "[a]"},
  };
  for (const auto& [text, op, path] : bad) {
    EXPECT_EQ(refused(text, {{"#a", "a"}}),
              std::string("The first operand must be distinct from the remaining operands for this operator or "
                          "function; operator: ") +
                  op + ", first operand: " + path)
        << text;
  }
  EXPECT_EQ(refused(":a = :a", {}, {{":a", s("x")}}), "ok");
}

TEST(ConditionParser, ChecksConstantBounds) {
  EXPECT_EQ(
      refused("a BETWEEN :x AND :y", {}, {{":x", n("2.50")}, {":y", n(1)}}),
      "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: "
      "AttributeValue: {N:2.5}, upper bound operand: AttributeValue: {N:1}");
  EXPECT_EQ(refused("a BETWEEN :x AND :y", {}, {{":x", n(2)}, {":y", s("dog")}}),
            "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: "
            "AttributeValue: {N:2}, upper bound operand: AttributeValue: {S:dog}");
  EXPECT_EQ(
      refused("a BETWEEN :x AND :y", {}, {{":x", b("\x80")}, {":y", b("\x7f")}}),
      "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: "
      "AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}, upper bound operand: AttributeValue: "
      "{B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}");
  EXPECT_EQ(refused("a BETWEEN :x AND b", {}, {{":x", n(2)}}), "ok");
}

TEST(ConditionParser, BoundsListsAndPaths) {
  const auto in = [](int count) {
    std::string text = "a IN (";
    for (int i = 0; i < count; ++i) text += (i > 0 ? ",x" : "x") + std::to_string(i);
    return text + ")";
  };
  EXPECT_EQ(refused(in(100)), "ok");
  EXPECT_EQ(refused(in(101)), "The IN operator is provided with too many operands; number of operands: 101");
  std::string path = "a";
  for (int i = 0; i < 31; ++i) path += ".b";
  EXPECT_EQ(refused(path + " = c"), "ok");
  EXPECT_EQ(refused(path + ".b = c"), "The document path has too many nesting levels; nesting levels: 33");
  EXPECT_EQ(refused("a[2147483647] = c"), "ok");
  EXPECT_EQ(refused("a[2147483648] = c"), "List index is not within the allowable range; index: [2147483648]");
  EXPECT_EQ(refused("a[99999999999999999999999] = c"),
            "List index is not within the allowable range; index: [99999999999999999999999]");
}

TEST(ConditionParser, CountsOperators) {
  const auto chain = [](int conditions) {
    std::string text = "a<b";
    for (int i = 1; i < conditions; ++i) text += " AND a<b";
    return text;
  };
  EXPECT_EQ(refused(chain(150)), "ok");
  EXPECT_EQ(refused(chain(151)), "The expression contains too many operators; operator count: 301");
  const auto negated = [](int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += "NOT ";
    return text + "a = b";
  };
  EXPECT_EQ(refused(negated(299)), "ok");
  EXPECT_EQ(refused(negated(300)), "The expression contains too many operators; operator count: 301");
}

TEST(ConditionParser, SurvivesNesting) {
  for (const char* opening : {"(", "NOT (", "f(", "size(", "a=b AND (", "a IN ((", "a = (", "a BETWEEN ("}) {
    std::string text;
    while (text.size() + 10 < 4096) text += opening;
    EXPECT_NE(refused(text), "ok") << opening;
    EXPECT_NE(refused(text + "a"), "ok") << opening;
  }
  std::string deep;
  for (int i = 0; i < 140; ++i) deep += "(a=b AND ";
  deep += "a=b";
  for (int i = 0; i < 140; ++i) deep += ")";
  EXPECT_EQ(refused(deep), "ok");
}

// Form before meaning, each in the order of the text.
TEST(ConditionParser, OrdersErrors) {
  EXPECT_EQ(refused("#x = :y AND name = b"), "Attribute name is a reserved keyword; reserved keyword: name");
  EXPECT_EQ(refused("#x = :y AND name = b AND"), R"(Syntax error; token: "<EOF>", near: "AND")");
  EXPECT_EQ(refused("name = b AND f(c)"), "Attribute name is a reserved keyword; reserved keyword: name");
  EXPECT_EQ(refused("f(c) AND name = b"), "Invalid function name; function: f");
  EXPECT_EQ(refused("#x = a AND contains(b, b)").substr(0, 30), "An expression attribute name u");
  EXPECT_EQ(refused("contains(b, b) AND #x = a").substr(0, 30), "The first operand must be dist");
}

}  // namespace
}  // namespace partita::expr
