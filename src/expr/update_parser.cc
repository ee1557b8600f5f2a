#include <algorithm>
#include <array>
#include <utility>

#include "expr/parser.h"
#include "expr/update.h"
#include "expr/update_checks.h"

namespace partita::expr {
namespace {

using model::Fault;

using ValueKind = UpdateValue::Kind;
using ActionKind = UpdateAction::Kind;

// The right-hand side of a SET, or a part of it.
struct ValueTerm {
  UpdateValue value;
  uint64_t rank = 0;  // where a function stands
  bool parenthesized = false;
};

std::optional<ActionKind> clause_kind(TokenKind kind) {
  switch (kind) {
    case TokenKind::kSet:
      return ActionKind::kSet;
    case TokenKind::kRemove:
      return ActionKind::kRemove;
    case TokenKind::kAdd:
      return ActionKind::kAdd;
    case TokenKind::kDelete:
      return ActionKind::kDelete;
    default:
      return std::nullopt;
  }
}

bool is_condition_function(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {
      "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size"};
  return std::ranges::find(kNames, name) != kNames.end();
}

bool is_arithmetic(const UpdateValue& value) {
  return value.kind == ValueKind::kPlus || value.kind == ValueKind::kMinus;
}

class UpdateParser : public Parser {
 public:
  UpdateParser(std::string_view text, Placeholders& given) : Parser(text, ExpressionKind::kUpdate, given) {
    names_apart_ = true;
  }

  Result<Update> parse() {
    PARTITA_TRY_VOID(begin());
    do {
      PARTITA_TRY_VOID(parse_section());
    } while (!next_is(TokenKind::kEnd));
    // DynamoDB's order: names in the paths that are written to, then how these paths relate, then what is left, of
    // the last action first: all names before all else.
    if (form_error_) return *std::move(form_error_);
    if (target_error_) return *std::move(target_error_);
    if (deep_error_) return *std::move(deep_error_);
    PARTITA_TRY_VOID(check_targets());
    if (last_name_error_) return *std::move(last_name_error_);
    if (last_meaning_error_) return *std::move(last_meaning_error_);
    return Update(std::move(actions_));
  }

 private:
  Result<void> check_targets() const {
    std::vector<const Path*> targets;
    targets.reserve(actions_.size());
    for (const UpdateAction& action : actions_) targets.push_back(&action.path);
    return check_apart(targets, ExpressionKind::kUpdate);
  }

  Result<void> parse_section() {
    const std::optional<ActionKind> kind = clause_kind(peek().kind);
    if (!kind) return syntax_error();
    take();
    // Errors of form count by the section's first use, then by place; a repeated section after all in it.
    std::optional<uint64_t>& rank = section_ranks_[static_cast<size_t>(*kind)];
    const bool repeated = rank.has_value();
    if (!repeated) rank = ++sections_ << 32;
    rank_base_ = *rank;
    do {
      PARTITA_TRY_VOID(parse_action(*kind));
    } while (take_if(TokenKind::kComma));
    if (repeated) {
      note_form(rank_base_ + UINT32_MAX, Fault::kUpdateSectionTwice, {std::string(clause_name(*kind))});
    }
    return {};
  }

  Result<void> parse_action(ActionKind kind) {
    UpdateAction action;
    action.kind = kind;
    PARTITA_TRY(action.path, parse_path());
    if (name_error_ && !target_error_) target_error_ = name_error_;
    if (meaning_error_ && !deep_error_) deep_error_ = meaning_error_;
    if (kind == ActionKind::kSet) {
      PARTITA_TRY_VOID(expect(TokenKind::kEqual));
      ValueTerm term;
      PARTITA_TRY_VOID(parse_set_value(0, term));
      action.value = std::move(term.value);
    } else if (kind != ActionKind::kRemove) {
      if (!next_is(TokenKind::kValue)) return syntax_error();
      action.value.constant = use_value(take());
      const ValuePtr& constant = action.value.constant;
      if (constant != nullptr) note(check_clause_operand(kind, *constant));
    }
    actions_.push_back(std::move(action));
    if (name_error_) last_name_error_ = std::move(name_error_);
    if (meaning_error_) last_meaning_error_ = std::move(meaning_error_);
    name_error_.reset();
    meaning_error_.reset();
    return {};
  }

  // operand [ ("+" | "-") operand ], which parentheses may enclose. As all of these, it fills an empty term that its
  // caller owns, which keeps the frames of the recursion small.
  Result<void> parse_set_value(int depth, ValueTerm& term) {
    if (next_is(TokenKind::kOpen)) {
      if (depth >= kMaxUpdateDepth) return refuse_too_deep();
      take();
      PARTITA_TRY_VOID(parse_set_value(depth + 1, term));
      PARTITA_TRY_VOID(close_parenthesis(term));
    } else {
      PARTITA_TRY_VOID(parse_operand(depth, term));
    }
    const bool operation = next_is(TokenKind::kPlus) || next_is(TokenKind::kMinus);
    if (!operation || is_arithmetic(term.value)) return {};
    return parse_arithmetic(depth, term);
  }

  // At the operator, with the left operand in `term`.
  Result<void> parse_arithmetic(int depth, ValueTerm& term) {
    const Token& token = take();
    ValueTerm left = std::exchange(term, ValueTerm());
    ValueTerm right;
    PARTITA_TRY_VOID(parse_operand(depth, right));
    PARTITA_TRY_VOID(count_operator());
    term.value.kind = token.kind == TokenKind::kPlus ? ValueKind::kPlus : ValueKind::kMinus;
    add_argument(term, std::move(left));
    add_argument(term, std::move(right));
    note(check_arithmetic(term.value, token.text));
    return {};
  }

  Result<void> parse_operand(int depth, ValueTerm& term) {
    if (depth >= kMaxUpdateDepth) return refuse_too_deep();
    if (take_if(TokenKind::kOpen)) {
      PARTITA_TRY_VOID(parse_operand(depth + 1, term));
      return close_parenthesis(term);
    }
    if (next_is(TokenKind::kValue)) {
      term.value.constant = use_value(take());
      return {};
    }
    if (next_is(TokenKind::kIdentifier) && next_is(TokenKind::kOpen, 1)) return parse_function(depth, term);
    term.value.kind = ValueKind::kPath;
    PARTITA_TRY(term.value.path, parse_path());
    return {};
  }

  Result<void> parse_function(int depth, ValueTerm& term) {
    const Token& token = take();
    const bool list_append = token.text == "list_append";
    term.rank = rank_of(token);
    if (!list_append && token.text != "if_not_exists") {
      const bool elsewhere = is_condition_function(token.text);
      note_form(term.rank, elsewhere ? Fault::kExpressionFunctionNotInUpdate : Fault::kExpressionFunctionName,
                {std::string(token.text)});
    }
    term.value.kind = list_append ? ValueKind::kListAppend : ValueKind::kIfNotExists;
    PARTITA_TRY_VOID(expect(TokenKind::kOpen));
    do {
      ValueTerm argument;
      PARTITA_TRY_VOID(parse_operand(depth + 1, argument));
      add_argument(term, std::move(argument));
    } while (take_if(TokenKind::kComma));
    PARTITA_TRY_VOID(expect(TokenKind::kClose));
    PARTITA_TRY_VOID(count_operator());
    note(check_function(term.value, token.text));
    return {};
  }

  // The result of list_append is not an operand of list_append or of arithmetic.
  void add_argument(ValueTerm& term, ValueTerm argument) {
    if (argument.value.kind == ValueKind::kListAppend && term.value.kind != ValueKind::kIfNotExists) {
      note_form(argument.rank, Fault::kExpressionFunctionMisused, {"list_append"});
    }
    term.value.arguments.push_back(std::move(argument.value));
  }

  void note(std::optional<OperandProblem> problem) {
    if (problem) note_meaning(problem->fault, std::move(problem->args));
  }

  std::vector<UpdateAction> actions_;
  std::array<std::optional<uint64_t>, 4> section_ranks_;
  uint64_t sections_ = 0;
  std::optional<Error> target_error_;
  std::optional<Error> deep_error_;
  std::optional<Error> last_name_error_;
  std::optional<Error> last_meaning_error_;
};

}  // namespace

Result<Update> parse_update(std::string_view text, Placeholders& given) { return UpdateParser(text, given).parse(); }

}  // namespace partita::expr
