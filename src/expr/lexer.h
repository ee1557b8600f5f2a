// An expression's text as tokens. Never fails: text that is not a token of the language becomes a kBad token.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace partita::expr {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,  // a letter, then letters, digits and underscores
  kName,        // #name
  kValue,       // :value
  kInteger,     // 0, or digits that do not start with 0
  kAnd,
  kOr,
  kNot,
  kIn,
  kBetween,
  kSet,
  kRemove,
  kAdd,
  kDelete,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kOpen,
  kClose,
  kOpenBracket,
  kCloseBracket,
  kComma,
  kDot,
  kPlus,
  kMinus,
  kBad,  // one character
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t offset = 0;
  std::string_view text;  // points into the expression; empty for kEnd
};

// The tokens in order. The last one is the only kEnd, positioned at the end of the one before it.
std::vector<Token> tokenize(std::string_view text);

}  // namespace partita::expr
