#include "partiql/expression_parser.h"

#include <array>

#include "partiql/keywords.h"

namespace partita::partiql {

namespace {

using model::Fault;
using model::refuse;

// The higher, the closer an operator binds; 0 for what is none.
int precedence_of(const Token& token) {
  if (token.kind == TokenKind::kStar) return 70;
  if (token.kind != TokenKind::kOperator) return 0;
  struct Rank {
    std::string_view text;
    int precedence;
  };
  static constexpr std::array kRanks = {
      Rank{"or", 10},       Rank{"and", 20},  Rank{"=", 40},       Rank{"<>", 40},          Rank{"is", 40},
      Rank{"is not", 40},   Rank{"in", 40},   Rank{"not in", 40},  Rank{"<", 50},           Rank{"<=", 50},
      Rank{">", 50},        Rank{">=", 50},   Rank{"between", 50}, Rank{"not between", 50}, Rank{"like", 50},
      Rank{"not like", 50}, Rank{"+", 60},    Rank{"-", 60},       Rank{"||", 60},          Rank{"/", 70},
      Rank{"%", 70},        Rank{"union", 5}, Rank{"except", 5},   Rank{"intersect", 5}};
  const auto* const found = std::ranges::find(kRanks, token.text, &Rank::text);
  return found == kRanks.end() ? 0 : found->precedence;
}

constexpr int kNotBinds = 30;

}  // namespace

Result<void> ExpressionParser::parse_expression(int precedence, Node& node) {
  const Level level(depth_);
  if (depth_ > kMaxDepth) return refuse(Fault::kPartiqlUnreadable);
  PARTITA_TRY_VOID(parse_unary(node));
  int chain = 0;
  while (precedence_of(peek()) > precedence) {
    // What is on the left lies one deeper with each operator but AND and OR.
    if (++chain > kMaxDepth && node.kind != NodeKind::kAnd && node.kind != NodeKind::kOr) {
      return refuse(Fault::kPartiqlUnreadable);
    }
    PARTITA_TRY_VOID(parse_infix(node));
  }
  return {};
}

Result<void> ExpressionParser::parse_right(const Token& token, Node& right) {
  if (tokens_.size() - at_ < 2) return refuse(Fault::kPartiqlNoRightHand);
  return parse_expression(precedence_of(token), right);
}

Node ExpressionParser::wrapped(NodeKind kind, const Token& token, Node&& left) {
  Node node = made_of(kind, token);
  node.negated = token.text.starts_with("not ") || token.text == "is not";
  node.children.push_back(std::move(left));
  return node;
}

Result<void> ExpressionParser::parse_infix(Node& node) {
  const Token token = take();
  const std::string_view word = token.text;
  if (word == "is" || word == "is not") return parse_is(token, node);
  if (word.ends_with("between")) return parse_between(token, node);
  if (word == "in" || word == "not in") return parse_in(token, node);
  if (word.ends_with("like")) return parse_like(token, node);
  Node right;
  PARTITA_TRY_VOID(parse_right(token, right));
  if (word == "and" || word == "or") {
    const NodeKind kind = word == "and" ? NodeKind::kAnd : NodeKind::kOr;
    if (node.kind != kind || node.grouped) node = wrapped(kind, token, std::exchange(node, Node()));
    node.children.push_back(std::move(right));
    return {};
  }
  node = wrapped(NodeKind::kInfix, token, std::exchange(node, Node()));
  node.children.push_back(std::move(right));
  return {};
}

Result<void> ExpressionParser::parse_is(const Token& token, Node& node) {
  const Token& type = peek();
  const bool word =
      type.kind == TokenKind::kKeyword || type.kind == TokenKind::kNull || type.kind == TokenKind::kMissing;
  if (!word || !is_type_name(type.text)) return refuse(Fault::kPartiqlTypeExpected);
  node = wrapped(NodeKind::kIs, token, std::exchange(node, Node()));
  node.text = take().text;
  return {};
}

Result<void> ExpressionParser::parse_between(const Token& token, Node& node) {
  node = wrapped(NodeKind::kBetween, token, std::exchange(node, Node()));
  Node low;
  PARTITA_TRY_VOID(parse_right(token, low));
  if (!next_is(TokenKind::kOperator) || peek().text != "and") return refuse(Fault::kPartiqlExpected, {"AND"});
  take();
  if (next_is(TokenKind::kEnd)) return refuse(Fault::kPartiqlNothingAfterAnd);
  Node high;
  PARTITA_TRY_VOID(parse_expression(precedence_of(token), high));
  node.children.push_back(std::move(low));
  node.children.push_back(std::move(high));
  return {};
}

Result<void> ExpressionParser::parse_in(const Token& token, Node& node) {
  node = wrapped(NodeKind::kIn, token, std::exchange(node, Node()));
  Node among;
  if (next_is(TokenKind::kOpen) && !next_is_keyword("select", 1)) {
    among = made_of(NodeKind::kList, take());
    PARTITA_TRY_VOID(parse_elements(among));
    PARTITA_TRY_VOID(expect(TokenKind::kClose, "RIGHT_PAREN"));
  } else {
    PARTITA_TRY_VOID(parse_right(token, among));
  }
  node.children.push_back(std::move(among));
  return {};
}

Result<void> ExpressionParser::parse_like(const Token& token, Node& node) {
  node = wrapped(NodeKind::kLike, token, std::exchange(node, Node()));
  Node pattern;
  PARTITA_TRY_VOID(parse_right(token, pattern));
  node.children.push_back(std::move(pattern));
  if (!take_keyword("escape")) return {};
  Node escape;
  PARTITA_TRY_VOID(parse_expression(precedence_of(token), escape));
  node.children.push_back(std::move(escape));
  return {};
}

Result<void> ExpressionParser::parse_unary(Node& node) {
  if (!next_is(TokenKind::kOperator)) return parse_path(node);
  const std::string_view sign = peek().text;
  if (sign != "+" && sign != "-" && sign != "not") return parse_path(node);
  const Level level(depth_);
  if (depth_ > kMaxDepth) return refuse(Fault::kPartiqlUnreadable);
  const Token token = take();
  Node operand;
  PARTITA_TRY_VOID(token.text == "not" ? parse_expression(kNotBinds, operand) : parse_unary(operand));
  if (token.text != "not" && operand.kind == NodeKind::kNumber) {
    node = std::move(operand);
    if (token.text == "-") toggle_sign(node.text);
    return {};
  }
  node = made_of(token.text == "not" ? NodeKind::kNot : NodeKind::kSign, token);
  node.children.push_back(std::move(operand));
  return {};
}

void ExpressionParser::toggle_sign(std::string& number) {
  if (number.front() == '-') {
    number.erase(0, 1);
  } else {
    number = '-' + number;
  }
}

Result<void> ExpressionParser::parse_path(Node& node) {
  PARTITA_TRY_VOID(parse_term(node));
  return parse_steps(false, node);
}

Result<void> ExpressionParser::parse_simple_path(Node& node) {
  if (!is_name(peek())) return refuse(Fault::kPartiqlNameExpected);
  node = take_name();
  return parse_steps(true, node);
}

Result<void> ExpressionParser::parse_steps(bool simple, Node& node) {
  while (next_is(TokenKind::kDot) || next_is(TokenKind::kOpenBracket)) {
    if (node.kind != NodeKind::kPath) {
      Node path;
      path.kind = NodeKind::kPath;
      path.place = node.place;
      path.children.push_back(std::move(node));
      node = std::move(path);
    }
    Node step;
    PARTITA_TRY_VOID(take().kind == TokenKind::kDot ? parse_member(simple, step) : parse_element(simple, step));
    node.children.push_back(std::move(step));
  }
  return {};
}

Result<void> ExpressionParser::parse_member(bool simple, Node& step) {
  if (is_name(peek())) {
    step = take_name();
    step.kind = NodeKind::kMember;
    return {};
  }
  if (!next_is(TokenKind::kStar)) return refuse(Fault::kPartiqlDot);
  if (simple) return refuse(Fault::kPartiqlDotOfSimplePath);
  step = made_of(NodeKind::kMembers, take());
  return {};
}

Result<void> ExpressionParser::parse_element(bool simple, Node& step) {
  if (next_is(TokenKind::kStar)) {
    step = made_of(NodeKind::kElements, take());
  } else {
    step.kind = NodeKind::kElement;
    Node position;
    PARTITA_TRY_VOID(parse_expression(kWhole, position));
    step.place = position.place;
    step.children.push_back(std::move(position));
  }
  PARTITA_TRY_VOID(expect(TokenKind::kCloseBracket, "RIGHT_BRACKET"));
  const bool constant = step.kind == NodeKind::kElement && step.children[0].kind <= NodeKind::kMissing;
  if (simple && !constant) return refuse(Fault::kPartiqlStepOfSimplePath);
  return {};
}

Result<void> ExpressionParser::parse_term(Node& node) {
  switch (peek().kind) {
    case TokenKind::kString:
      return take_as(NodeKind::kString, node);
    case TokenKind::kNumber:
      return take_as(NodeKind::kNumber, node);
    case TokenKind::kIon:
      return take_as(NodeKind::kIon, node);
    case TokenKind::kBoolean:
      return take_as(NodeKind::kBoolean, node);
    case TokenKind::kNull:
      return take_as(NodeKind::kNull, node);
    case TokenKind::kMissing:
      return take_as(NodeKind::kMissing, node);
    case TokenKind::kParameter:
      node.position = parameters_++;
      return take_as(NodeKind::kParameter, node);
    case TokenKind::kIdentifier:
    case TokenKind::kQuoted:
      if (peek(1).kind == TokenKind::kOpen) return parse_call(node);
      node = take_name();
      return {};
    case TokenKind::kOperator:
      return refuse(Fault::kPartiqlOperator);
    case TokenKind::kKeyword:
      return parse_keyword(node);
    case TokenKind::kOpen:
      return parse_group(node);
    case TokenKind::kOpenBracket:
      return parse_collection(NodeKind::kList, TokenKind::kCloseBracket, "RIGHT_BRACKET", node);
    case TokenKind::kOpenBag:
      return parse_collection(NodeKind::kBag, TokenKind::kCloseBag, "RIGHT_DOUBLE_ANGLE_BRACKET", node);
    case TokenKind::kOpenBrace:
      return parse_struct(node);
    default:
      return refuse(Fault::kPartiqlTerm);
  }
}

Result<void> ExpressionParser::take_as(NodeKind kind, Node& node) {
  const size_t position = node.position;
  node = made_of(kind, take());
  node.position = position;
  return {};
}

Result<void> ExpressionParser::parse_keyword(Node& node) {
  const std::string_view word = peek().text;
  const bool statement = word == "select" || word == "update" || word == "delete" || word == "from" ||
                         word == "insert into" || word == "set" || word == "remove";
  if (statement) return parse_statement(node);
  if (word == "values") return parse_rows(node);
  if (is_function_word(word) && peek(1).kind == TokenKind::kOpen) return parse_call(node);
  return refuse(Fault::kPartiqlKeyword);
}

Result<void> ExpressionParser::parse_call(Node& node) {
  node = made_of(NodeKind::kCall, take());
  std::ranges::transform(node.text, node.text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  take();
  if (next_is(TokenKind::kStar)) {
    if (node.text != "count") return refuse(Fault::kPartiqlCallOfAll, {node.text});
    take();
    node.kind = NodeKind::kCallOfAll;
    return expect(TokenKind::kClose, "RIGHT_PAREN");
  }
  if (take_if(TokenKind::kClose)) return {};
  PARTITA_TRY_VOID(parse_elements(node));
  return expect(TokenKind::kClose, "RIGHT_PAREN");
}

Result<void> ExpressionParser::parse_elements(Node& node) {
  do {
    Node element;
    PARTITA_TRY_VOID(parse_expression(kWhole, element));
    node.children.push_back(std::move(element));
  } while (take_if(TokenKind::kComma));
  return {};
}

Result<void> ExpressionParser::parse_group(Node& node) {
  Node group = made_of(NodeKind::kList, take());
  if (next_is(TokenKind::kClose)) return refuse(Fault::kPartiqlEmptyGroup);
  PARTITA_TRY_VOID(parse_elements(group));
  PARTITA_TRY_VOID(expect(TokenKind::kClose, "RIGHT_PAREN"));
  if (group.children.size() > 1) {
    node = std::move(group);
    return {};
  }
  Node inner = std::move(group.children.front());
  node = std::move(inner);
  // So that a chain outside does not go on with the one inside.
  if (node.kind == NodeKind::kAnd || node.kind == NodeKind::kOr) node.grouped = true;
  return {};
}

Result<void> ExpressionParser::parse_collection(NodeKind kind, TokenKind close, std::string_view name, Node& node) {
  node = made_of(kind, take());
  if (take_if(close)) return {};
  PARTITA_TRY_VOID(parse_elements(node));
  return expect(close, name);
}

Result<void> ExpressionParser::parse_struct(Node& node) {
  node = made_of(NodeKind::kStruct, take());
  if (take_if(TokenKind::kCloseBrace)) return {};
  do {
    Node name;
    PARTITA_TRY_VOID(parse_expression(kWhole, name));
    PARTITA_TRY_VOID(expect(TokenKind::kColon, "COLON"));
    Node value;
    PARTITA_TRY_VOID(parse_expression(kWhole, value));
    node.children.push_back(std::move(name));
    node.children.push_back(std::move(value));
  } while (take_if(TokenKind::kComma));
  return expect(TokenKind::kCloseBrace, "RIGHT_CURLY");
}

Result<void> ExpressionParser::parse_rows(Node& node) {
  node = made_of(NodeKind::kBag, take());
  do {
    if (!next_is(TokenKind::kOpen)) return refuse(Fault::kPartiqlExpected, {"LEFT_PAREN for row value constructor"});
    Node row = made_of(NodeKind::kList, take());
    PARTITA_TRY_VOID(parse_elements(row));
    PARTITA_TRY_VOID(expect(TokenKind::kClose, "RIGHT_PAREN"));
    node.children.push_back(std::move(row));
  } while (take_if(TokenKind::kComma));
  return {};
}

}  // namespace partita::partiql
