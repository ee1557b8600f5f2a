
#include "expr/condition.h"
#include "expr/condition_checks.h"
#include "expr/key_condition.h"
#include "expr/parser.h"

namespace partita::expr {
namespace {

using model::Fault;

// What has been read where the grammar allows an operand or a whole condition: `(` may open either.
struct Term {
  enum class Kind : uint8_t { kOperand, kSize, kFunction, kCondition };
  Kind kind = Kind::kOperand;
  bool parenthesized = false;
  Operand operand;            // of kOperand and kSize
  ConditionNode node;         // of kFunction and kCondition
  uint64_t rank = 0;          // of kSize and kFunction
  std::string_view function;  // of kSize and kFunction
};

std::optional<ConditionOp> comparator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual:
      return ConditionOp::kEqual;
    case TokenKind::kNotEqual:
      return ConditionOp::kNotEqual;
    case TokenKind::kLess:
      return ConditionOp::kLess;
    case TokenKind::kLessEqual:
      return ConditionOp::kLessEqual;
    case TokenKind::kGreater:
      return ConditionOp::kGreater;
    case TokenKind::kGreaterEqual:
      return ConditionOp::kGreaterEqual;
    default:
      return std::nullopt;
  }
}

class ConditionParser : public Parser {
 public:
  ConditionParser(std::string_view text, ExpressionKind kind, Placeholders& given) : Parser(text, kind, given) {}

  Result<Condition> parse() {
    PARTITA_TRY_VOID(begin());
    Term term;
    PARTITA_TRY_VOID(parse_or(0, term));
    if (!next_is(TokenKind::kEnd)) return syntax_error();
    PARTITA_TRY_VOID(need_condition(term));
    if (form_error_) return *std::move(form_error_);
    if (name_error_) return *std::move(name_error_);
    if (meaning_error_) return *std::move(meaning_error_);
    return Condition(std::move(term.node));
  }

 private:
  // The parse_* functions fill an empty term that their caller owns, which keeps the frames of the recursion small.

  Result<void> parse_or(int depth, Term& term) {
    PARTITA_TRY_VOID(parse_and(depth, term));
    while (next_is(TokenKind::kOr)) {
      PARTITA_TRY_VOID(open_junction(term, ConditionOp::kOr));
      Term right;
      PARTITA_TRY_VOID(parse_and(depth, right));
      PARTITA_TRY_VOID(close_junction(term, right));
    }
    return {};
  }

  Result<void> parse_and(int depth, Term& term) {
    PARTITA_TRY_VOID(parse_not(depth, term));
    while (next_is(TokenKind::kAnd)) {
      PARTITA_TRY_VOID(open_junction(term, ConditionOp::kAnd));
      Term right;
      PARTITA_TRY_VOID(parse_not(depth, right));
      PARTITA_TRY_VOID(close_junction(term, right));
    }
    return {};
  }

  // At the AND or OR: makes `term` a junction that may take one more child. One that this very chain began is
  // continued.
  Result<void> open_junction(Term& term, ConditionOp op) {
    PARTITA_TRY_VOID(need_condition(term));
    take();
    const bool continued = term.kind == Term::Kind::kCondition && term.node.op == op && !term.parenthesized;
    if (continued) return {};
    ConditionNode node;
    node.op = op;
    node.children.push_back(std::move(term.node));
    set_condition(term, std::move(node));
    return {};
  }

  Result<void> close_junction(Term& term, Term& right) {
    PARTITA_TRY_VOID(need_condition(right));
    term.node.children.push_back(std::move(right.node));
    return count_operator();
  }

  static void set_condition(Term& term, ConditionNode node) {
    term = Term();
    term.kind = Term::Kind::kCondition;
    term.node = std::move(node);
  }

  Result<void> parse_not(int depth, Term& term) {
    size_t times = 0;
    while (take_if(TokenKind::kNot)) ++times;
    PARTITA_TRY_VOID(parse_primary(depth, term));
    if (times == 0) return {};
    PARTITA_TRY_VOID(need_condition(term));
    for (; times > 0; --times) {
      PARTITA_TRY_VOID(count_operator());
      ConditionNode outer;
      outer.op = ConditionOp::kNot;
      outer.children.push_back(std::move(term.node));
      set_condition(term, std::move(outer));
    }
    return {};
  }

  Result<void> parse_primary(int depth, Term& term) {
    if (next_is(TokenKind::kOpen)) {
      if (depth >= kMaxConditionDepth) return refuse_too_deep();
      take();
      PARTITA_TRY_VOID(parse_or(depth + 1, term));
      PARTITA_TRY_VOID(close_parenthesis(term));
    } else {
      PARTITA_TRY_VOID(parse_simple(depth, term));
    }
    if (term.kind == Term::Kind::kCondition) return {};
    if (comparator(peek().kind)) return parse_comparison(depth, term);
    if (next_is(TokenKind::kBetween)) return parse_between(depth, term);
    if (next_is(TokenKind::kIn)) return parse_in(depth, term);
    return {};
  }

  Result<void> parse_comparison(int depth, Term& term) {
    const Token& token = take();
    ConditionNode node;
    node.op = *comparator(token.kind);
    node.operands.push_back(to_operand(term));
    PARTITA_TRY_VOID(parse_operand(depth, node.operands));
    return finish_condition(std::move(node), token.text, term);
  }

  Result<void> parse_between(int depth, Term& term) {
    take();
    ConditionNode node;
    node.op = ConditionOp::kBetween;
    node.operands.push_back(to_operand(term));
    PARTITA_TRY_VOID(parse_operand(depth, node.operands));
    PARTITA_TRY_VOID(expect(TokenKind::kAnd));
    PARTITA_TRY_VOID(parse_operand(depth, node.operands));
    return finish_condition(std::move(node), "BETWEEN", term);
  }

  Result<void> parse_in(int depth, Term& term) {
    take();
    ConditionNode node;
    node.op = ConditionOp::kIn;
    node.operands.push_back(to_operand(term));
    PARTITA_TRY_VOID(parse_arguments(depth, node.operands));
    return finish_condition(std::move(node), "IN", term);
  }

  Result<void> finish_condition(ConditionNode node, std::string_view name, Term& term) {
    PARTITA_TRY_VOID(count_operator());
    if (auto problem = check_operands(node, name)) note_meaning(problem->fault, std::move(problem->args));
    set_condition(term, std::move(node));
    return {};
  }

  // "(" operand { "," operand } ")", appended to `operands`.
  Result<void> parse_arguments(int depth, std::vector<Operand>& operands) {
    PARTITA_TRY_VOID(expect(TokenKind::kOpen));
    do {
      PARTITA_TRY_VOID(parse_operand(depth, operands));
    } while (take_if(TokenKind::kComma));
    return expect(TokenKind::kClose);
  }

  Result<void> parse_operand(int depth, std::vector<Operand>& operands) {
    Term term;
    PARTITA_TRY_VOID(parse_operand_term(depth, term));
    operands.push_back(to_operand(term));
    return {};
  }

  Result<void> parse_operand_term(int depth, Term& term) {
    if (!next_is(TokenKind::kOpen)) return parse_simple(depth, term);
    if (depth >= kMaxConditionDepth) return refuse_too_deep();
    take();
    PARTITA_TRY_VOID(parse_operand_term(depth + 1, term));
    return close_parenthesis(term);
  }

  // A constant, a path or a function.
  Result<void> parse_simple(int depth, Term& term) {
    if (next_is(TokenKind::kValue)) {
      term.operand.value = use_value(take());
      return {};
    }
    if (next_is(TokenKind::kIdentifier) && next_is(TokenKind::kOpen, 1)) return parse_function(depth, term);
    PARTITA_TRY(term.operand.path, parse_path());
    return {};
  }

  Result<void> parse_function(int depth, Term& term) {
    if (depth >= kMaxConditionDepth) return refuse_too_deep();
    const Token& token = take();
    term.kind = Term::Kind::kFunction;
    term.rank = rank_of(token);
    term.function = token.text;
    const std::optional<ConditionOp> op = condition_function(token.text);
    if (!op && token.text != "size") {
      const bool of_update = token.text == "if_not_exists" || token.text == "list_append";
      const Fault fault = of_update ? Fault::kExpressionFunctionNotInCondition : Fault::kExpressionFunctionName;
      note_form(term.rank, fault, {std::string(token.text)});
    }
    PARTITA_TRY_VOID(parse_arguments(depth + 1, term.node.operands));
    PARTITA_TRY_VOID(count_operator());
    if (op) {
      term.node.op = *op;
      if (auto problem = check_operands(term.node, token.text)) note_meaning(problem->fault, std::move(problem->args));
    } else if (token.text == "size") {
      make_size(term);
    }
    return {};
  }

  void make_size(Term& term) {
    if (auto problem = check_size(term.node.operands)) note_meaning(problem->fault, std::move(problem->args));
    term.kind = Term::Kind::kSize;
    term.operand = std::move(term.node.operands.front());
    term.operand.size = true;
    term.node = ConditionNode();
  }

  // Where a condition has to stand: a mere operand lacks its comparator, which is missed at the current token.
  Result<void> need_condition(const Term& term) {
    if (term.kind == Term::Kind::kOperand) return syntax_error();
    if (term.kind == Term::Kind::kSize) {
      note_form(term.rank, Fault::kExpressionFunctionMisused, {std::string(term.function)});
    }
    return {};
  }

  // Leaves the term without it.
  Operand to_operand(Term& term) {
    if (term.kind == Term::Kind::kFunction) {
      note_form(term.rank, Fault::kExpressionFunctionMisused, {std::string(term.function)});
    }
    return std::move(term.operand);
  }
};

}  // namespace

Result<Condition> parse_condition(std::string_view text, ExpressionKind kind, Placeholders& given) {
  PARTITA_CHECK(kind == ExpressionKind::kCondition || kind == ExpressionKind::kFilter ||
                kind == ExpressionKind::kSearch);
  return ConditionParser(text, kind, given).parse();
}

Result<Condition> parse_key_condition(std::string_view text, Placeholders& given) {
  return ConditionParser(text, ExpressionKind::kKeyCondition, given).parse();
}

}  // namespace partita::expr
