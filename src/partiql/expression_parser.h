// Parses the expressions of a statement. Internal to partiql; syntax.h is the interface.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/fault.h"
#include "partiql/syntax.h"

namespace partita::partiql {

// Partita's own limit: deeper nesting is refused. Nothing that DynamoDB accepts is nested so deep: an expression has at
// most 300 operators, a value 32 levels.
inline constexpr int kMaxDepth = 320;

inline constexpr int kWhole = 0;   // everything that continues an expression
inline constexpr int kClause = 6;  // of a clause of SELECT

// Functions fill an empty node that the caller owns, which keeps the frames of the recursion small.
class ExpressionParser {
 protected:
  explicit ExpressionParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}
  virtual ~ExpressionParser() = default;
  ExpressionParser(const ExpressionParser&) = delete;
  ExpressionParser& operator=(const ExpressionParser&) = delete;

  // At a word that begins a statement.
  virtual Result<void> parse_statement(Node& node) = 0;

  // Counts the depth of the parser's recursion.
  class Level {
   public:
    explicit Level(int& depth) : depth_(depth) { ++depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --depth_; }

   private:
    int& depth_;
  };

  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool next_is(TokenKind kind) const { return peek().kind == kind; }
  bool next_is_keyword(std::string_view word, size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::kKeyword && peek(ahead).text == word;
  }
  const Token& take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool take_if(TokenKind kind) {
    if (!next_is(kind)) return false;
    take();
    return true;
  }
  bool take_keyword(std::string_view word) {
    if (!next_is_keyword(word)) return false;
    take();
    return true;
  }
  Result<void> expect(TokenKind kind, std::string_view name) {
    if (!take_if(kind)) return model::refuse(model::Fault::kPartiqlExpected, {std::string(name)});
    return {};
  }

  static Node made_of(NodeKind kind, const Token& token) {
    Node node;
    node.kind = kind;
    const bool bracket = kind == NodeKind::kList || kind == NodeKind::kBag || kind == NodeKind::kStruct;
    if (!bracket) node.text = token.text;
    node.place = token.place;
    return node;
  }
  static bool is_name(const Token& token) {
    return token.kind == TokenKind::kIdentifier || token.kind == TokenKind::kQuoted;
  }
  Node take_name() {
    const Token& token = take();
    Node node = made_of(NodeKind::kName, token);
    node.quoted = token.kind == TokenKind::kQuoted;
    return node;
  }

  Result<void> parse_expression(int precedence, Node& node);
  // A name and steps from it: the target of SET, REMOVE, UPDATE, DELETE and INSERT.
  Result<void> parse_simple_path(Node& node);
  // expression { "," expression }, appended to the children.
  Result<void> parse_elements(Node& node);

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  size_t parameters_ = 0;

 private:
  // The right-hand side of an operator.
  Result<void> parse_right(const Token& token, Node& right);
  static Node wrapped(NodeKind kind, const Token& token, Node&& left);
  // At an operator, with its left-hand side in `node`.
  Result<void> parse_infix(Node& node);
  Result<void> parse_is(const Token& token, Node& node);
  Result<void> parse_between(const Token& token, Node& node);
  // A list in parentheses is one even with a single element.
  Result<void> parse_in(const Token& token, Node& node);
  Result<void> parse_like(const Token& token, Node& node);
  Result<void> parse_unary(Node& node);
  static void toggle_sign(std::string& number);
  Result<void> parse_path(Node& node);
  Result<void> parse_steps(bool simple, Node& node);
  Result<void> parse_member(bool simple, Node& step);
  Result<void> parse_element(bool simple, Node& step);
  Result<void> parse_term(Node& node);
  Result<void> take_as(NodeKind kind, Node& node);
  Result<void> parse_keyword(Node& node);
  Result<void> parse_call(Node& node);
  // The expression in parentheses, or a list if there are several.
  Result<void> parse_group(Node& node);
  Result<void> parse_collection(NodeKind kind, TokenKind close, std::string_view name, Node& node);
  Result<void> parse_struct(Node& node);
  // VALUES (...), (...)
  Result<void> parse_rows(Node& node);
};

}  // namespace partita::partiql
