#include "partiql/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "model/fault.h"
#include "model/java_number.h"
#include "partiql/keywords.h"

namespace partita::partiql {

namespace {

using model::Fault;
using model::refuse;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_of_word(char c) { return starts_word(c) || is_digit(c); }

struct Sign {
  std::string_view text;
  TokenKind kind;
};

// Longer ones first.
constexpr std::array kSigns = {
    Sign{"<<", TokenKind::kOpenBag},  Sign{">>", TokenKind::kCloseBag},   Sign{"<=", TokenKind::kOperator},
    Sign{">=", TokenKind::kOperator}, Sign{"<>", TokenKind::kOperator},   Sign{"!=", TokenKind::kOperator},
    Sign{"||", TokenKind::kOperator}, Sign{"<", TokenKind::kOperator},    Sign{">", TokenKind::kOperator},
    Sign{"=", TokenKind::kOperator},  Sign{"+", TokenKind::kOperator},    Sign{"-", TokenKind::kOperator},
    Sign{"/", TokenKind::kOperator},  Sign{"%", TokenKind::kOperator},    Sign{"@", TokenKind::kOperator},
    Sign{"*", TokenKind::kStar},      Sign{"?", TokenKind::kParameter},   Sign{"(", TokenKind::kOpen},
    Sign{")", TokenKind::kClose},     Sign{"[", TokenKind::kOpenBracket}, Sign{"]", TokenKind::kCloseBracket},
    Sign{"{", TokenKind::kOpenBrace}, Sign{"}", TokenKind::kCloseBrace},  Sign{",", TokenKind::kComma},
    Sign{":", TokenKind::kColon},     Sign{";", TokenKind::kSemicolon},   Sign{".", TokenKind::kDot},
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> run() {
    for (;;) {
      PARTITA_TRY_VOID(skip_blanks());
      start_ = at_;
      place_ = {line_, column_, 0};
      if (at_ == text_.size()) {
        add(TokenKind::kEnd, "");
        return std::move(tokens_);
      }
      PARTITA_TRY_VOID(take_token());
    }
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool next_is(std::string_view wanted) const { return text_.substr(at_).starts_with(wanted); }

  // Characters are counted where they begin.
  void advance() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {
      ++column_;
    }
  }
  void advance_by(size_t count) {
    while (count-- > 0) advance();
  }

  // The token from `start_` to here.
  void add(TokenKind kind, std::string text) {
    const std::string_view taken = text_.substr(start_, at_ - start_);
    place_.length = static_cast<uint32_t>(
        std::ranges::count_if(taken, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
    tokens_.push_back({kind, std::move(text), place_});
  }

  Result<void> skip_blanks() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        advance();
      } else if (next_is("--")) {
        while (at_ < text_.size() && peek() != '\n' && peek() != '\r') advance();
      } else if (next_is("/*")) {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return refuse(Fault::kPartiqlUnreadable);
        advance_by(end + 2 - at_);
      } else {
        return {};
      }
    }
    return {};
  }

  Result<void> take_token() {
    const char c = peek();
    if (c == '\'') return take_quoted('\'', TokenKind::kString);
    if (c == '"') return take_quoted('"', TokenKind::kQuoted);
    if (c == '`') return take_ion();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return take_number();
    if (starts_word(c)) return take_word();
    for (const Sign& sign : kSigns) {
      if (!next_is(sign.text)) continue;
      advance_by(sign.text.size());
      add(sign.kind, sign.text == "!=" ? "<>" : std::string(sign.text));
      return {};
    }
    return refuse(Fault::kPartiqlUnreadable);
  }

  // A quote within is written twice.
  Result<void> take_quoted(char quote, TokenKind kind) {
    std::string said;
    advance();
    while (at_ < text_.size()) {
      const char c = peek();
      advance();
      if (c == quote) {
        if (peek() != quote || at_ == text_.size()) {
          add(kind, std::move(said));
          return {};
        }
        advance();
      }
      said.push_back(c);
    }
    return refuse(Fault::kPartiqlUnreadable);
  }

  Result<void> take_ion() {
    const size_t end = text_.find('`', at_ + 1);
    if (end == std::string_view::npos) return refuse(Fault::kPartiqlUnreadable);
    advance_by(end + 1 - at_);
    add(TokenKind::kIon, std::string(text_.substr(start_ + 1, end - start_ - 1)));
    return {};
  }

  Result<void> take_number() {
    while (is_digit(peek())) advance();
    if (peek() == '.') advance();
    while (is_digit(peek())) advance();
    if (peek() == 'e' || peek() == 'E') {
      const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (!is_digit(peek(1 + sign))) return refuse(Fault::kPartiqlUnreadable);
      advance_by(1 + sign);
      while (is_digit(peek())) advance();
    }
    if (is_of_word(peek())) return refuse(Fault::kPartiqlUnreadable);
    std::string number(text_.substr(start_, at_ - start_));
    if (!model::has_scale(number)) return refuse(Fault::kPartiqlUnreadable);
    add(TokenKind::kNumber, std::move(number));
    return {};
  }

  Result<void> take_word() {
    while (is_of_word(peek())) advance();
    const std::string word(text_.substr(start_, at_ - start_));
    std::string lower = word;
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
    if (lower == "null") {
      add(TokenKind::kNull, std::move(lower));
    } else if (lower == "missing") {
      add(TokenKind::kMissing, std::move(lower));
    } else if (lower == "true" || lower == "false") {
      add(TokenKind::kBoolean, std::move(lower));
    } else if (is_operator_word(lower)) {
      add(TokenKind::kOperator, std::move(lower));
    } else if (is_keyword(lower)) {
      add(TokenKind::kKeyword, std::move(lower));
    } else {
      add(TokenKind::kIdentifier, word);
      return {};
    }
    join_words();
    return {};
  }

  // What two words say together is one token.
  void join_words() {
    if (tokens_.size() < 2) return;
    Token& first = tokens_[tokens_.size() - 2];
    const Token& second = tokens_.back();
    const std::string both = first.text + ' ' + second.text;
    const bool word = first.kind == TokenKind::kOperator || first.kind == TokenKind::kKeyword;
    if (!word || !is_joined(both)) return;
    first.kind = both.starts_with("not ") || both == "is not" ? TokenKind::kOperator : TokenKind::kKeyword;
    first.text = both;
    tokens_.pop_back();
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  uint32_t column_ = 1;
  size_t start_ = 0;
  TextPosition place_;
  std::vector<Token> tokens_;
};

}  // namespace

std::string describe(const TextPosition& place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column) + ":" + std::to_string(place.length);
}

Result<std::vector<Token>> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace partita::partiql
