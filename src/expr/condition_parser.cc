#include <array>

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
  ConditionParser(std::string_view text, Source source, Placeholders& given) : Parser(text, source, given) {}

  Result<Condition> parse() {
    PARTITA_TRY_VOID(begin());
    PARTITA_TRY(Term term, parse_or(0));
    if (!next_is(TokenKind::kEnd)) return syntax_error();
    PARTITA_TRY(ConditionNode root, to_condition(std::move(term)));
    if (form_error_) return *std::move(form_error_);
    if (name_error_) return *std::move(name_error_);
    if (meaning_error_) return *std::move(meaning_error_);
    return Condition(std::move(root));
  }

 private:
  Result<Term> parse_or(int depth) {
    PARTITA_TRY(Term term, parse_and(depth));
    while (next_is(TokenKind::kOr)) {
      PARTITA_TRY_VOID(open_junction(term, ConditionOp::kOr));
      take();
      PARTITA_TRY(Term right, parse_and(depth));
      PARTITA_TRY_VOID(close_junction(term, std::move(right)));
    }
    return term;
  }

  Result<Term> parse_and(int depth) {
    PARTITA_TRY(Term term, parse_not(depth));
    while (next_is(TokenKind::kAnd)) {
      PARTITA_TRY_VOID(open_junction(term, ConditionOp::kAnd));
      take();
      PARTITA_TRY(Term right, parse_not(depth));
      PARTITA_TRY_VOID(close_junction(term, std::move(right)));
    }
    return term;
  }

  // Makes `term` an AND or an OR that may take one more child. One that this very chain began is continued.
  Result<void> open_junction(Term& term, ConditionOp op) {
    const bool continued = term.kind == Term::Kind::kCondition && term.node.op == op && !term.parenthesized;
    if (continued) return {};
    PARTITA_TRY(ConditionNode first, to_condition(std::move(term)));
    term = Term();
    term.kind = Term::Kind::kCondition;
    term.node.op = op;
    term.node.children.push_back(std::move(first));
    return {};
  }

  Result<void> close_junction(Term& term, Term right) {
    PARTITA_TRY(ConditionNode last, to_condition(std::move(right)));
    term.node.children.push_back(std::move(last));
    return count_operator();
  }

  Result<Term> parse_not(int depth) {
    size_t times = 0;
    while (take_if(TokenKind::kNot)) ++times;
    PARTITA_TRY(Term term, parse_primary(depth));
    if (times == 0) return term;
    PARTITA_TRY(ConditionNode node, to_condition(std::move(term)));
    for (; times > 0; --times) {
      PARTITA_TRY_VOID(count_operator());
      ConditionNode outer;
      outer.op = ConditionOp::kNot;
      outer.children.push_back(std::move(node));
      node = std::move(outer);
    }
    Term negated;
    negated.kind = Term::Kind::kCondition;
    negated.node = std::move(node);
    return negated;
  }

  Result<Term> parse_primary(int depth) {
    Term term;
    if (next_is(TokenKind::kOpen)) {
      PARTITA_TRY(term, parse_parenthesized(depth));
    } else {
      PARTITA_TRY(term, parse_simple(depth));
    }
    if (term.kind == Term::Kind::kCondition) return term;
    if (comparator(peek().kind)) return parse_comparison(std::move(term), depth);
    if (next_is(TokenKind::kBetween)) return parse_between(std::move(term), depth);
    if (next_is(TokenKind::kIn)) return parse_in(std::move(term), depth);
    return term;
  }

  Result<Term> parse_parenthesized(int depth) {
    if (depth >= kMaxParseDepth) return refuse_too_deep();
    take();
    PARTITA_TRY(Term term, parse_or(depth + 1));
    return close_parenthesis(std::move(term));
  }

  // Two parentheses around the same thing are refused as soon as the outer one is closed.
  Result<Term> close_parenthesis(Term term) {
    PARTITA_TRY_VOID(expect(TokenKind::kClose));
    if (term.parenthesized) return refuse(Fault::kExpressionRedundantParens);
    term.parenthesized = true;
    return term;
  }

  Error refuse_too_deep() const {
    return refuse(Fault::kExpressionTooManyOperators, {std::to_string(model::kMaxExpressionOperators + 1)});
  }

  Result<Term> parse_comparison(Term left, int depth) {
    const Token& token = take();
    const ConditionOp op = *comparator(token.kind);
    PARTITA_TRY(Operand first, to_operand(std::move(left)));
    PARTITA_TRY(Operand second, parse_operand(depth));
    Term term;
    term.node.op = op;
    term.node.operands.push_back(std::move(first));
    term.node.operands.push_back(std::move(second));
    return finish_condition(std::move(term), token.text);
  }

  Result<Term> parse_between(Term left, int depth) {
    take();
    PARTITA_TRY(Operand what, to_operand(std::move(left)));
    PARTITA_TRY(Operand low, parse_operand(depth));
    PARTITA_TRY_VOID(expect(TokenKind::kAnd));
    PARTITA_TRY(Operand high, parse_operand(depth));
    Term term;
    term.node.op = ConditionOp::kBetween;
    term.node.operands.push_back(std::move(what));
    term.node.operands.push_back(std::move(low));
    term.node.operands.push_back(std::move(high));
    return finish_condition(std::move(term), "BETWEEN");
  }

  Result<Term> parse_in(Term left, int depth) {
    take();
    Term term;
    term.node.op = ConditionOp::kIn;
    PARTITA_TRY(Operand what, to_operand(std::move(left)));
    term.node.operands.push_back(std::move(what));
    PARTITA_TRY_VOID(parse_arguments(term.node.operands, depth));
    return finish_condition(std::move(term), "IN");
  }

  Result<Term> finish_condition(Term term, std::string_view name) {
    PARTITA_TRY_VOID(count_operator());
    term.kind = Term::Kind::kCondition;
    if (auto problem = check_operands(term.node, name)) note_meaning(problem->fault, std::move(problem->args));
    return term;
  }

  // "(" operand { "," operand } ")", appended to `operands`.
  Result<void> parse_arguments(std::vector<Operand>& operands, int depth) {
    PARTITA_TRY_VOID(expect(TokenKind::kOpen));
    do {
      PARTITA_TRY(Operand operand, parse_operand(depth));
      operands.push_back(std::move(operand));
    } while (take_if(TokenKind::kComma));
    return expect(TokenKind::kClose);
  }

  Result<Operand> parse_operand(int depth) {
    PARTITA_TRY(Term term, parse_operand_term(depth));
    return to_operand(std::move(term));
  }

  Result<Term> parse_operand_term(int depth) {
    if (!next_is(TokenKind::kOpen)) return parse_simple(depth);
    if (depth >= kMaxParseDepth) return refuse_too_deep();
    take();
    PARTITA_TRY(Term term, parse_operand_term(depth + 1));
    return close_parenthesis(std::move(term));
  }

  // A constant, a path or a function.
  Result<Term> parse_simple(int depth) {
    Term term;
    if (next_is(TokenKind::kValue)) {
      term.operand.value = use_value(take());
      return term;
    }
    if (next_is(TokenKind::kIdentifier) && next_is(TokenKind::kOpen, 1)) return parse_function(depth);
    PARTITA_TRY(term.operand.path, parse_path());
    return term;
  }

  Result<Term> parse_function(int depth) {
    if (depth >= kMaxParseDepth) return refuse_too_deep();
    const Token& token = take();
    Term term;
    term.kind = Term::Kind::kFunction;
    term.rank = rank_of(token);
    term.function = token.text;
    const std::optional<ConditionOp> op = condition_function(token.text);
    const bool size = token.text == "size";
    if (!op && !size) {
      const bool of_update = token.text == "if_not_exists" || token.text == "list_append";
      const Fault fault = of_update ? Fault::kExpressionFunctionNotInCondition : Fault::kExpressionFunctionName;
      note_form(term.rank, fault, {std::string(token.text)});
    }
    PARTITA_TRY_VOID(parse_arguments(term.node.operands, depth + 1));
    PARTITA_TRY_VOID(count_operator());
    if (op) {
      term.node.op = *op;
      if (auto problem = check_operands(term.node, token.text)) note_meaning(problem->fault, std::move(problem->args));
    } else if (size) {
      make_size(term);
    }
    return term;
  }

  void make_size(Term& term) {
    if (auto problem = check_size(term.node.operands)) note_meaning(problem->fault, std::move(problem->args));
    term.kind = Term::Kind::kSize;
    term.operand = std::move(term.node.operands.front());
    term.operand.size = true;
    term.node = ConditionNode();
  }

  // Where a condition has to stand: a mere operand lacks its comparator, which is missed at the current token.
  Result<ConditionNode> to_condition(Term term) {
    if (term.kind == Term::Kind::kOperand) return syntax_error();
    if (term.kind == Term::Kind::kSize) {
      note_form(term.rank, Fault::kExpressionFunctionMisused, {std::string(term.function)});
    }
    return std::move(term.node);
  }

  Result<Operand> to_operand(Term term) {
    if (term.kind == Term::Kind::kFunction) {
      note_form(term.rank, Fault::kExpressionFunctionMisused, {std::string(term.function)});
    }
    return std::move(term.operand);
  }
};

}  // namespace

Result<Condition> parse_condition(std::string_view text, Source source, Placeholders& given) {
  PARTITA_CHECK(source == Source::kCondition || source == Source::kFilter);
  return ConditionParser(text, source, given).parse();
}

Result<Condition> parse_key_condition(std::string_view text, Placeholders& given) {
  return ConditionParser(text, Source::kKeyCondition, given).parse();
}

}  // namespace partita::expr
