// A statement's text as tokens. docs/partiql.md has the grammar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace partita::partiql {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,
  kQuoted,     // "identifier"
  kString,     // 'text'
  kNumber,     // without a sign
  kIon,        // `...`, which DynamoDB does not accept
  kBoolean,    // TRUE or FALSE
  kNull,       // NULL
  kMissing,    // MISSING
  kKeyword,    // of SQL or PartiQL, except operators
  kOperator,   // a word or a sign, except *
  kStar,       // *; an operator if an operand precedes it
  kParameter,  // ?
  kOpen,       // (
  kClose,      // )
  kOpenBracket,
  kCloseBracket,
  kOpenBrace,
  kCloseBrace,
  kOpenBag,   // <<
  kCloseBag,  // >>
  kComma,
  kColon,
  kSemicolon,
  kDot,
};

// The position of a token as DynamoDB counts it: lines and columns from 1, columns and lengths in characters.
struct TextPosition {
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t length = 0;
  bool operator==(const TextPosition&) const = default;
};

// "1:8:5"
std::string describe(const TextPosition& place);

struct Token {
  TokenKind kind = TokenKind::kEnd;
  // The content: strings and quoted identifiers without quotes, keywords and operators in lower case, identifiers and
  // numbers as written. Operators of two words have a blank: "is not".
  std::string text;
  TextPosition place;
};

// The tokens in order. The last one is the only kEnd. Comments (`-- ...` and `/* ... */`) are skipped. Takes linear
// time. Precondition: UTF-8. Fault: kPartiqlUnreadable.
Result<std::vector<Token>> tokenize(std::string_view text);

}  // namespace partita::partiql
