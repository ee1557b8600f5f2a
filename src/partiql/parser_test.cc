#include <gtest/gtest.h>

#include <random>
#include <string>

#include "model/fault.h"
#include "partiql/keywords.h"
#include "partiql/print_testing.h"
#include "partiql/syntax.h"

namespace partita::partiql {
namespace {

using model::Fault;

Node parsed(std::string_view text) {
  auto result = parse(text);
  EXPECT_TRUE(result.ok()) << text;
  return result.ok() ? std::move(result)->node : Node();
}

Fault fault(std::string_view text) {
  auto result = parse(text);
  EXPECT_FALSE(result.ok()) << text;
  return result.ok() ? Fault::kCount : model::fault_of(result.error());
}

TEST(PartiqlLexer, PlacesCountCharacters) {
  const auto tokens = tokenize("SELECT a\n  'ü' \"x\"\"y\" -- c\n.5e-3");
  ASSERT_TRUE(tokens.ok());
  ASSERT_EQ(tokens->size(), 6U);
  EXPECT_EQ(describe((*tokens)[0].place), "1:1:6");
  EXPECT_EQ(describe((*tokens)[1].place), "1:8:1");
  EXPECT_EQ(describe((*tokens)[2].place), "2:3:3");
  EXPECT_EQ((*tokens)[2].text, "ü");
  EXPECT_EQ((*tokens)[3].text, "x\"y");
  EXPECT_EQ((*tokens)[4].kind, TokenKind::kNumber);
  EXPECT_EQ(describe((*tokens)[4].place), "3:1:5");
  EXPECT_EQ((*tokens)[5].kind, TokenKind::kEnd);
}

TEST(PartiqlLexer, WordsThatBelongTogetherAreOneToken) {
  const auto tokens = tokenize("x is Not null NOT in insert  INTO all old Between");
  ASSERT_TRUE(tokens.ok());
  std::string kinds;
  for (const Token& token : *tokens) kinds += "|" + token.text;
  EXPECT_EQ(kinds, "|x|is not|null|not in|insert into|all old|between|");
}

TEST(PartiqlLexer, WordsAreKnownWhateverTheirCase) {
  EXPECT_TRUE(is_keyword("where"));
  EXPECT_FALSE(is_keyword("year"));
  EXPECT_TRUE(is_operator_word("between"));
  EXPECT_TRUE(is_type_name("double precision"));
  EXPECT_TRUE(is_function_word("size"));
}

TEST(PartiqlParser, OperatorsBindAsInSql) {
  const Node node = parsed("a = 1 AND NOT b < 2 + 3 * 4 OR c BETWEEN 1 AND 2 AND d");
  ASSERT_EQ(node.kind, NodeKind::kOr);
  ASSERT_EQ(node.children.size(), 2U);
  EXPECT_EQ(node.children[0].kind, NodeKind::kAnd);
  EXPECT_EQ(node.children[0].children[1].kind, NodeKind::kNot);
  EXPECT_EQ(node.children[0].children[1].children[0].text, "<");
  EXPECT_EQ(node.children[1].children[0].kind, NodeKind::kBetween);
  EXPECT_EQ(parsed("a AND b AND c").children.size(), 3U);
  EXPECT_EQ(parsed("a AND (b AND c)").children.size(), 2U);
  EXPECT_EQ(parsed("(a AND b) AND c").children.size(), 2U);
}

TEST(PartiqlParser, SignsBecomePartOfNumbers) {
  EXPECT_EQ(parsed("- - 1").text, "1");
  EXPECT_EQ(parsed("-(+1.5)").text, "-1.5");
  EXPECT_EQ(parsed("-a").kind, NodeKind::kSign);
  EXPECT_EQ(parsed("a-1").kind, NodeKind::kInfix);
}

TEST(PartiqlParser, ParametersAreNumberedInTheOrderOfTheText) {
  const auto result = parse("UPDATE t SET a = ?, b = [?] WHERE pk IN (?, ?)");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->parameters, 4U);
  EXPECT_EQ(result->node.statement->where->children[1].children[1].position, 3U);
}

TEST(PartiqlParser, NestingIsBounded) {
  for (const char* open : {"(", "[", "{'a':", "<<", "NOT ", "- ", "f(", "a[", "EXISTS(SELECT * FROM "}) {
    std::string text;
    while (text.size() < 8000) text += open;
    EXPECT_EQ(fault(text), Fault::kPartiqlUnreadable) << open;
    text += "x";
    EXPECT_EQ(fault(text), Fault::kPartiqlUnreadable) << open;
  }
  std::string chain = "a";
  for (int i = 0; i < 2000; ++i) chain += " - 1";
  EXPECT_EQ(fault(chain), Fault::kPartiqlUnreadable);
  std::string flat = "a";
  for (int i = 0; i < 2000; ++i) flat += " OR a";
  EXPECT_EQ(parsed(flat).children.size(), 2001U);
}

TEST(PartiqlParser, EveryBeginningOfAStatementIsAnswered) {
  const std::string text =
      "SELECT a.b[0], \"c\" FROM \"t\".\"i\" WHERE x IN [1, .5e3, 'it''s'] AND NOT (y IS NOT MISSING OR f(z, <<1>>) = ?)"
      " ORDER BY s DESC, p; -- end";
  for (size_t i = 0; i <= text.size(); ++i) static_cast<void>(parse(text.substr(0, i)).ok());
  EXPECT_TRUE(parse(text).ok());
}

void expect_same_again(const Node& node) {
  const auto text = print(node);
  if (!text) return;
  const auto again = parse(*text);
  ASSERT_TRUE(again.ok()) << *text << " " << static_cast<int>(model::fault_of(again.error()));
  EXPECT_EQ(again->node, node) << *text;
}

TEST(PartiqlParser, WhatIsPrintedParsesToTheSame) {
  for (
      const char* text : {
          "SELECT * FROM t",
          "SELECT a, b.c[1].\"d e\", 'x' FROM \"t\".\"i\" WHERE (a OR b) AND c = -5 ORDER BY a, b DESC",
          "INSERT INTO t VALUE {'a': [1, {'b': <<'x''y', 'z'>>}], 'n': NULL, 't': TRUE, 'm': MISSING, 'i': `1`}",
          "UPDATE t SET a.b = c - - 1, d = f(e, ?) REMOVE g[0] SET h = (1 + 2) * 3 WHERE k = ? RETURNING MODIFIED OLD *",
          "FROM t WHERE a IS NOT NULL SET b = NOT c",
          "DELETE FROM t WHERE a NOT IN (1) AND b NOT BETWEEN 1 AND 2 AND c LIKE 'x' ESCAPE 'y' RETURNING ALL OLD *",
          "EXISTS(SELECT * FROM t WHERE a = 1 AND b IS MISSING)",
          "SELECT COUNT(*) FROM t WHERE a[*].b.* = @",
          "a IN <<1>> OR b IN x",
          "-(a) + -b",
      }) {
    const auto node = parse(text);
    if (node.ok()) expect_same_again(node->node);
  }
}

// Statements out of the words of the language: most are refused, all are answered.
TEST(PartiqlParser, RandomTokensParseToTheSameWhenPrinted) {
  const std::vector<std::string> words = {"SELECT",
                                          "FROM",
                                          "WHERE",
                                          "t",
                                          "\"q\"",
                                          "a",
                                          "b",
                                          "=",
                                          "<",
                                          "AND",
                                          "OR",
                                          "NOT",
                                          "IN",
                                          "(",
                                          ")",
                                          "[",
                                          "]",
                                          "{",
                                          "}",
                                          ":",
                                          "'s'",
                                          "1",
                                          "-",
                                          "+",
                                          "*",
                                          ",",
                                          ".",
                                          "?",
                                          "IS",
                                          "NULL",
                                          "<<",
                                          ">>",
                                          "SET",
                                          "REMOVE",
                                          "UPDATE",
                                          "DELETE FROM",
                                          "BETWEEN 1 AND 2",
                                          "RETURNING ALL NEW *",
                                          "ORDER BY",
                                          "EXISTS(",
                                          "f(",
                                          "a = 1",
                                          "pk = 'x'",
                                          "INSERT INTO t VALUE"};
  std::mt19937 random(7);
  size_t fine = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string text = i % 3 == 0 ? "SELECT * FROM t WHERE" : i % 3 == 1 ? "UPDATE t SET a =" : "";
    const size_t count = 1 + random() % 9;
    for (size_t k = 0; k < count; ++k) text += " " + words[random() % words.size()];
    const auto node = parse(text);
    if (!node.ok()) continue;
    ++fine;
    expect_same_again(node->node);
  }
  EXPECT_GT(fine, 1000U);
}

}  // namespace
}  // namespace partita::partiql
