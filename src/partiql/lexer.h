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
  kIon,        // `...`, which DynamoDB does not take
  kBoolean,    // TRUE or FALSE
  kNull,       // NULL
  kMissing,    // MISSING
  kKeyword,    // of SQL or of PartiQL; not those that are operators
  kOperator,   // a word or a sign, but for *
  kStar,       // *, which is an operator where an operand stands before it
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

// Where a token stands, as DynamoDB counts: lines and columns from 1, columns and lengths in characters.
struct Place {
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t length = 0;
  bool operator==(const Place&) const = default;
};

// "1:8:5"
std::string describe(const Place& place);

struct Token {
  TokenKind kind = TokenKind::kEnd;
  // What it says: a string or quoted identifier without its quotes, keywords and operators in lower case, an
  // identifier or a number as it is written. Operators of two words stand with a blank: "is not".
  std::string text;
  Place place;
};

// The tokens in order, the last of which is the only kEnd. Comments (`-- ...` and `/* ... */`) are passed over.
// Linear. Precondition: UTF-8. Fault: kPartiqlUnreadable.
Result<std::vector<Token>> tokenize(std::string_view text);

}  // namespace partita::partiql
