// The common part of the parsers of conditions, updates and projections: tokens, document paths, and the order in which
// DynamoDB reports errors of an expression:
//   1. at once, where parsing stops: syntax, redundant parentheses, too many operators;
//   2. its form, in the order of the text: reserved words, list positions, names and places of functions;
//   3. its meaning, in the order in which operators get their operands: placeholders, counts and types of operands.
// Errors of form and meaning are therefore recorded while parsing continues, and reported at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/lexer.h"
#include "expr/path.h"
#include "expr/placeholders.h"
#include "model/fault.h"
#include "model/limits.h"

namespace partita::expr {

// Deeper nesting is never valid: except for a few levels at the bottom, parentheses in conditions have an operator
// between them, and parentheses in updates a function. There may be 300 of these.
inline constexpr int kMaxConditionDepth = 310;
inline constexpr int kMaxUpdateDepth = 610;
// DynamoDB developer guide, "Quotas": nested attributes up to 32 levels deep.
inline constexpr size_t kMaxPathLevels = 32;
// Measured: the largest list position that is accepted.
inline constexpr uint64_t kMaxListPosition = 2147483647;

class Parser {
 protected:
  Parser(std::string_view text, ExpressionKind kind, Placeholders& given) : text_(text), kind_(kind), given_(given) {}

  // Checks the length and tokenizes.
  Result<void> begin();

  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool next_is(TokenKind kind, size_t ahead = 0) const { return peek(ahead).kind == kind; }
  // Advances past the token and returns it; stays at kEnd.
  const Token& take();
  bool take_if(TokenKind kind);
  Result<void> expect(TokenKind kind);

  // At the current token.
  Error syntax_error() const;
  Error refuse(model::Fault fault, std::vector<std::string> args = {}) const;
  // Nesting beyond what 300 operators can need, reported as too many operators, as DynamoDB does.
  Error refuse_too_deep() const {
    return refuse(model::Fault::kExpressionTooManyOperators, {std::to_string(model::kMaxExpressionOperators + 1)});
  }
  // Closes the parenthesis around a parser's own kind of term. Two around the same thing are refused as soon as the
  // outer one is closed.
  template <class Term>
  Result<void> close_parenthesis(Term& term) {
    PARTITA_TRY_VOID(expect(TokenKind::kClose));
    if (term.parenthesized) return refuse(model::Fault::kExpressionRedundantParens);
    term.parenthesized = true;
    return {};
  }
  // Counts one operator or function.
  Result<void> count_operator();

  // `rank` orders errors of form; the smallest is reported.
  void note_form(uint64_t rank, model::Fault fault, std::vector<std::string> args);
  // Only the first is kept.
  void note_meaning(model::Fault fault, std::vector<std::string> args = {});
  uint64_t rank_of(const Token& token) const { return rank_base_ + token.offset; }

  Result<Path> parse_path();
  // The constant that a kValue token stands for. If it is not defined: null, and the error is recorded.
  ValuePtr use_value(const Token& token);

  ExpressionKind kind() const { return kind_; }

  uint64_t rank_base_ = 0;
  std::optional<Error> form_error_;
  std::optional<Error> name_error_;     // the first undefined #name
  std::optional<Error> meaning_error_;  // the first other error of meaning
  bool names_apart_ = false;            // undefined names do not compete with the other errors of meaning

 private:
  Result<void> parse_position(Path& path);
  std::string resolve_name(const Token& token);

  std::string_view text_;
  ExpressionKind kind_;
  Placeholders& given_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t operators_ = 0;
  uint64_t form_rank_ = 0;
};

// Refuses the first overlap or conflict between two of the paths, as DynamoDB finds it.
Result<void> check_apart(const std::vector<const Path*>& paths, ExpressionKind kind);

}  // namespace partita::expr
