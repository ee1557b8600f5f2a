#include "expr/lexer.h"

#include <array>
#include <utility>

namespace partita::expr {
namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

constexpr std::array<std::pair<std::string_view, TokenKind>, 9> kKeywords = {{
    {"AND", TokenKind::kAnd},
    {"OR", TokenKind::kOr},
    {"NOT", TokenKind::kNot},
    {"IN", TokenKind::kIn},
    {"BETWEEN", TokenKind::kBetween},
    {"SET", TokenKind::kSet},
    {"REMOVE", TokenKind::kRemove},
    {"ADD", TokenKind::kAdd},
    {"DELETE", TokenKind::kDelete},
}};

bool equals_keyword(std::string_view word, std::string_view keyword) {
  if (word.size() != keyword.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    const char upper = word[i] >= 'a' && word[i] <= 'z' ? static_cast<char>(word[i] - 32) : word[i];
    if (upper != keyword[i]) return false;
  }
  return true;
}

TokenKind word_kind(std::string_view word) {
  for (const auto& [keyword, kind] : kKeywords) {
    if (equals_keyword(word, keyword)) return kind;
  }
  return TokenKind::kIdentifier;
}

size_t word_end(std::string_view text, size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

// The end of the UTF-8 character at `at`, so that an error never shows half a character.
size_t character_end(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  return at;
}

TokenKind punctuation(char c) {
  switch (c) {
    case '=':
      return TokenKind::kEqual;
    case '<':
      return TokenKind::kLess;
    case '>':
      return TokenKind::kGreater;
    case '(':
      return TokenKind::kOpen;
    case ')':
      return TokenKind::kClose;
    case '[':
      return TokenKind::kOpenBracket;
    case ']':
      return TokenKind::kCloseBracket;
    case ',':
      return TokenKind::kComma;
    case '.':
      return TokenKind::kDot;
    case '+':
      return TokenKind::kPlus;
    case '-':
      return TokenKind::kMinus;
    default:
      return TokenKind::kBad;
  }
}

// The token at `at`, which is not a blank.
std::pair<TokenKind, size_t> scan(std::string_view text, size_t at) {
  const char c = text[at];
  if (is_letter(c)) {
    const size_t end = word_end(text, at);
    return {word_kind(text.substr(at, end - at)), end};
  }
  if (c == '#' || c == ':') {
    const size_t end = word_end(text, at + 1);
    if (end == at + 1) return {TokenKind::kBad, end};
    return {c == '#' ? TokenKind::kName : TokenKind::kValue, end};
  }
  if (is_digit(c)) {
    size_t end = at + 1;
    while (c != '0' && end < text.size() && is_digit(text[end])) ++end;
    return {TokenKind::kInteger, end};
  }
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  if (c == '<' && next == '>') return {TokenKind::kNotEqual, at + 2};
  if (c == '<' && next == '=') return {TokenKind::kLessEqual, at + 2};
  if (c == '>' && next == '=') return {TokenKind::kGreaterEqual, at + 2};
  const TokenKind kind = punctuation(c);
  return {kind, kind == TokenKind::kBad ? character_end(text, at) : at + 1};
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  tokens.reserve(text.size() / 3 + 2);
  size_t last_end = 0;
  for (size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    const auto [kind, end] = scan(text, at);
    tokens.push_back({kind, static_cast<uint32_t>(at), text.substr(at, end - at)});
    at = last_end = end;
  }
  tokens.push_back({TokenKind::kEnd, static_cast<uint32_t>(last_end), {}});
  return tokens;
}

}  // namespace partita::expr
