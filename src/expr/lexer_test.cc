#include "expr/lexer.h"

#include <gtest/gtest.h>

#include "expr/reserved_words.h"

namespace partita::expr {
namespace {

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> out;
  for (const Token& token : tokenize(text)) out.emplace_back(token.text);
  out.pop_back();
  return out;
}

std::vector<TokenKind> kinds(std::string_view text) {
  std::vector<TokenKind> out;
  for (const Token& token : tokenize(text)) out.push_back(token.kind);
  return out;
}

TEST(Lexer, SplitsWithoutBlanks) {
  EXPECT_EQ(texts("a.b[12]<=:v AND #n<>c"),
            (std::vector<std::string>{"a", ".", "b", "[", "12", "]", "<=", ":v", "AND", "#n", "<>", "c"}));
}

TEST(Lexer, TakesKeywordsInAnyCase) {
  using enum TokenKind;
  const std::vector<TokenKind> expected = {kAnd, kOr, kNot, kIn, kBetween, kSet, kRemove, kAdd, kDelete, kEnd};
  EXPECT_EQ(kinds("and Or NOT iN between set Remove aDD delete"), expected);
  EXPECT_EQ(kinds("ANDS notx in_ xor"),
            (std::vector<TokenKind>{kIdentifier, kIdentifier, kIdentifier, kIdentifier, kEnd}));
}

TEST(Lexer, NamesStartWithALetter) {
  using enum TokenKind;
  EXPECT_EQ(kinds("_a"), (std::vector<TokenKind>{kBad, kIdentifier, kEnd}));
  EXPECT_EQ(kinds("1a"), (std::vector<TokenKind>{kInteger, kIdentifier, kEnd}));
  EXPECT_EQ(kinds("#1a :_ # :"), (std::vector<TokenKind>{kName, kValue, kBad, kBad, kEnd}));
  EXPECT_EQ(kinds("007"), (std::vector<TokenKind>{kInteger, kInteger, kInteger, kEnd}));
}

TEST(Lexer, KeepsCharactersWhole) {
  EXPECT_EQ(texts("\xc3\xbc > a"), (std::vector<std::string>{"\xc3\xbc", ">", "a"}));
  EXPECT_EQ(texts("\xff\xff"), (std::vector<std::string>{"\xff", "\xff"}));
  EXPECT_EQ(texts(std::string_view("a\0b", 3)).size(), 3u);
}

TEST(Lexer, EndsWhereTheLastTokenEnds) {
  EXPECT_EQ(tokenize("ab  ").back().offset, 2u);
  EXPECT_EQ(tokenize("").back().offset, 0u);
  EXPECT_EQ(tokenize(" \t\r\n").size(), 1u);
}

TEST(ReservedWords, AreKnownInAnyCase) {
  for (const char* word : {"abort", "ZONE", "Name", "sTaTuS", "size", "LOCALTIMESTAMP", "data", "count", "items"}) {
    EXPECT_TRUE(is_reserved_word(word)) << word;
  }
  for (const char* word : {"", "a", "pk", "names_", "abor", "LOCALTIMESTAMPS", "version", "contains"}) {
    EXPECT_FALSE(is_reserved_word(word)) << word;
  }
}

}  // namespace
}  // namespace partita::expr
