#include "wire/dax/expression.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "expr/condition_checks.h"
#include "expr/parser.h"
#include "expr/update_checks.h"
#include "model/fault.h"
#include "wire/cbor.h"
#include "wire/dax/tree_reader.h"

namespace partita::wire::dax {
namespace {

using expr::ConditionNode;
using expr::ConditionOp;
using expr::ExpressionKind;
using expr::Operand;
using expr::Path;
using expr::UpdateAction;
using expr::UpdateValue;
using model::Fault;

class ConditionReader : public TreeReader {
 public:
  ConditionReader(ExpressionKind kind, DecodedBytes* memory) : TreeReader(kind, memory) {}

  Result<expr::Condition> read(std::string_view bytes, Nesting nesting, std::string* canonical) {
    PARTITA_TRY_VOID(begin(bytes, nesting));
    ConditionNode root;
    PARTITA_TRY_VOID(read_condition(root));
    if (!in().finished()) return no_expression();
    if (form_error_) return *std::move(form_error_);
    if (meaning_error_) return *std::move(meaning_error_);
    if (canonical != nullptr) append_canonical(*canonical);
    return expr::Condition(std::move(root));
  }

 private:
  // These fill an empty node that their caller owns, which keeps the frames of the recursion small.

  Result<void> read_condition(ConditionNode& condition) {
    uint64_t operands = 0;
    PARTITA_TRY(const TreeNode node, read_node(operands));
    switch (node) {
      case TreeNode::kAnd:
      case TreeNode::kOr:
        return read_junction(node, operands, condition);
      case TreeNode::kNot:
        PARTITA_TRY_VOID(expect_operands(node, 1, operands));
        PARTITA_TRY_VOID(count_operator());
        condition.op = ConditionOp::kNot;
        return read_condition(condition.children.emplace_back());
      case TreeNode::kIn:
        return read_in(operands, condition);
      case TreeNode::kSize: {
        // A text can have it here, where it is misused.
        note_form(next_rank(), Fault::kExpressionFunctionMisused, {std::string(node_name(node))});
        Operand size;
        return read_size(operands, size);
      }
      case TreeNode::kIfNotExists:
      case TreeNode::kListAppend:
        return read_function_of_updates(node, operands);
      default:
        return read_comparison(node, operands, condition);
    }
  }

  // A chain of one junction becomes one node.
  Result<void> read_junction(TreeNode node, uint64_t operands, ConditionNode& condition) {
    PARTITA_TRY_VOID(expect_operands(node, 2, operands));
    PARTITA_TRY_VOID(count_operator());
    const ConditionOp op = node == TreeNode::kAnd ? ConditionOp::kAnd : ConditionOp::kOr;
    PARTITA_TRY_VOID(read_condition(condition));
    const bool continued = condition.op == op && !condition.children.empty();
    if (!continued) {
      ConditionNode left = std::exchange(condition, ConditionNode());
      condition.op = op;
      condition.children.push_back(std::move(left));
    }
    return read_condition(condition.children.emplace_back());
  }

  Result<void> read_in(uint64_t operands, ConditionNode& condition) {
    PARTITA_TRY_VOID(expect_operands(TreeNode::kIn, 2, operands));
    PARTITA_TRY_VOID(count_operator());
    condition.op = ConditionOp::kIn;
    PARTITA_TRY_VOID(read_operand(condition));
    auto candidates = in().array();
    if (!in().ok() || candidates.left == 0 || candidates.indefinite()) return no_expression();
    while (in().next(candidates)) PARTITA_TRY_VOID(read_operand(condition));
    check(condition, TreeNode::kIn);
    return {};
  }

  // A comparison or a function.
  Result<void> read_comparison(TreeNode node, uint64_t operands, ConditionNode& condition) {
    const std::optional<ConditionOp> op = op_of(node);
    if (!op) return malformed_tree("an expression has no condition where one must be");
    const bool exists = op == ConditionOp::kAttributeExists || op == ConditionOp::kAttributeNotExists;
    PARTITA_TRY_VOID(expect_operands(node, exists ? 1 : op == ConditionOp::kBetween ? 3 : 2, operands));
    PARTITA_TRY_VOID(count_operator());
    condition.op = *op;
    condition.operands.reserve(operands);
    for (uint64_t i = 0; i < operands; ++i) PARTITA_TRY_VOID(read_operand(condition));
    check(condition, node);
    return {};
  }

  void check(const ConditionNode& condition, TreeNode node) {
    auto problem = expr::check_operands(condition, node_name(node));
    if (problem) note_meaning(problem->fault, std::move(problem->args));
  }

  Result<void> read_operand(ConditionNode& condition) { return read_operand(condition.operands.emplace_back()); }

  Result<void> read_operand(Operand& operand) {
    uint64_t operands = 0;
    PARTITA_TRY(const TreeNode node, read_node(operands));
    switch (node) {
      case TreeNode::kPath:
        return read_path(operands, operand.path);
      case TreeNode::kVariable: {
        PARTITA_TRY(operand.value, read_variable(operands));
        return {};
      }
      case TreeNode::kSize:
        next_rank();
        return read_size(operands, operand);
      case TreeNode::kIfNotExists:
      case TreeNode::kListAppend:
        return read_function_of_updates(node, operands);
      default:
        return read_misused(node, operands);
    }
  }

  // Behind the head.
  Result<void> read_size(uint64_t operands, Operand& operand) {
    PARTITA_TRY_VOID(expect_operands(TreeNode::kSize, 1, operands));
    PARTITA_TRY_VOID(count_operator());
    std::vector<Operand> arguments(1);
    PARTITA_TRY_VOID(read_operand(arguments.front()));
    if (auto problem = expr::check_size(arguments)) note_meaning(problem->fault, std::move(problem->args));
    operand = std::move(arguments.front());
    operand.size = true;
    return {};
  }

  // A condition where an operand has to be: a text can have a function there.
  Result<void> read_misused(TreeNode node, uint64_t operands) {
    if (node < TreeNode::kAttributeExists || node > TreeNode::kContains) {
      return malformed_tree("an expression has no operand where one must be");
    }
    note_form(next_rank(), Fault::kExpressionFunctionMisused, {std::string(node_name(node))});
    ConditionNode function;
    return read_comparison(node, operands, function);
  }

  Result<void> read_function_of_updates(TreeNode node, uint64_t operands) {
    note_form(next_rank(), Fault::kExpressionFunctionNotInCondition, {std::string(node_name(node))});
    PARTITA_TRY_VOID(count_operator());
    ConditionNode ignored;
    for (uint64_t i = 0; i < operands; ++i) PARTITA_TRY_VOID(read_operand(ignored));
    return {};
  }

  static std::optional<ConditionOp> op_of(TreeNode node) {
    switch (node) {
      case TreeNode::kEqual:
        return ConditionOp::kEqual;
      case TreeNode::kNotEqual:
        return ConditionOp::kNotEqual;
      case TreeNode::kLess:
        return ConditionOp::kLess;
      case TreeNode::kLessEqual:
        return ConditionOp::kLessEqual;
      case TreeNode::kGreater:
        return ConditionOp::kGreater;
      case TreeNode::kGreaterEqual:
        return ConditionOp::kGreaterEqual;
      case TreeNode::kBetween:
        return ConditionOp::kBetween;
      case TreeNode::kAttributeExists:
        return ConditionOp::kAttributeExists;
      case TreeNode::kAttributeNotExists:
        return ConditionOp::kAttributeNotExists;
      case TreeNode::kAttributeType:
        return ConditionOp::kAttributeType;
      case TreeNode::kBeginsWith:
        return ConditionOp::kBeginsWith;
      case TreeNode::kContains:
        return ConditionOp::kContains;
      default:
        return std::nullopt;
    }
  }
};

class UpdateReader : public TreeReader {
 public:
  explicit UpdateReader(DecodedBytes* memory) : TreeReader(ExpressionKind::kUpdate, memory) {}

  Result<expr::Update> read(std::string_view bytes, Nesting nesting, std::string* canonical) {
    PARTITA_TRY_VOID(begin(bytes, nesting));
    auto actions = in().array();
    if (!in().ok() || actions.indefinite()) return no_expression();
    if (actions.left == 0) return refuse(Fault::kExpressionEmpty);
    while (in().next(actions)) PARTITA_TRY_VOID(read_action());
    if (!in().finished()) return no_expression();
    end_section();
    // DynamoDB's order, as in the parser of texts.
    if (form_error_) return *std::move(form_error_);
    if (deep_error_) return *std::move(deep_error_);
    std::vector<const Path*> targets;
    targets.reserve(actions_.size());
    for (const UpdateAction& action : actions_) targets.push_back(&action.path);
    PARTITA_TRY_VOID(expr::check_apart(targets, ExpressionKind::kUpdate));
    if (last_error_) return *std::move(last_error_);
    if (canonical != nullptr) append_canonical(*canonical);
    return expr::Update(std::move(actions_));
  }

 private:
  using Kind = UpdateAction::Kind;
  using ValueKind = UpdateValue::Kind;

  // The right-hand side of a SET, or a part of it.
  struct Term {
    UpdateValue value;
    uint64_t rank = 0;  // where a function stands
  };

  static std::optional<Kind> kind_of(TreeNode node) {
    switch (node) {
      case TreeNode::kSet:
        return Kind::kSet;
      case TreeNode::kRemove:
        return Kind::kRemove;
      case TreeNode::kAdd:
        return Kind::kAdd;
      case TreeNode::kDelete:
        return Kind::kDelete;
      default:
        return std::nullopt;
    }
  }

  // Actions of one kind that follow each other were one section of the text.
  void begin_section(Kind kind) {
    if (section_ == kind) return;
    end_section();
    section_ = kind;
    std::optional<uint64_t>& rank = section_ranks_[static_cast<size_t>(kind)];
    repeated_ = rank.has_value();
    if (!repeated_) rank = ++sections_ << 32;
    rank_base_ = *rank;
  }
  void end_section() {
    if (!repeated_) return;
    note_form(rank_base_ + UINT32_MAX, Fault::kUpdateSectionTwice, {std::string(expr::clause_name(*section_))});
  }

  Result<void> read_action() {
    uint64_t operands = 0;
    PARTITA_TRY(const TreeNode node, read_node(operands));
    const std::optional<Kind> kind = kind_of(node);
    if (!kind) return malformed_tree("an update has no action where one must be");
    PARTITA_TRY_VOID(expect_operands(node, kind == Kind::kRemove ? 1 : 2, operands));
    begin_section(*kind);
    UpdateAction action;
    action.kind = *kind;
    PARTITA_TRY(action.path, read_target());
    if (meaning_error_ && !deep_error_) deep_error_ = meaning_error_;
    if (kind == Kind::kSet) {
      Term term;
      PARTITA_TRY_VOID(read_set_value(term));
      action.value = std::move(term.value);
    } else if (kind != Kind::kRemove) {
      PARTITA_TRY_VOID(read_constant(action));
    }
    actions_.push_back(std::move(action));
    if (meaning_error_) last_error_ = std::exchange(meaning_error_, std::nullopt);
    return {};
  }

  Result<void> read_constant(UpdateAction& action) {
    uint64_t operands = 0;
    PARTITA_TRY(const TreeNode node, read_node(operands));
    if (node != TreeNode::kVariable) return malformed_tree("an update has no value where one must be");
    PARTITA_TRY(action.value.constant, read_variable(operands));
    note(expr::check_clause_operand(action.kind, *action.value.constant));
    return {};
  }

  void note(std::optional<expr::OperandProblem> problem) {
    if (problem) note_meaning(problem->fault, std::move(problem->args));
  }

  // An operand, or two with an operator between them.
  Result<void> read_set_value(Term& term) {
    uint64_t operands = 0;
    PARTITA_TRY(const TreeNode node, read_node(operands));
    if (node != TreeNode::kPlus && node != TreeNode::kMinus) return read_operand(node, operands, term);
    PARTITA_TRY_VOID(expect_operands(node, 2, operands));
    PARTITA_TRY_VOID(count_operator());
    Term left;
    Term right;
    PARTITA_TRY_VOID(read_operand(left));
    PARTITA_TRY_VOID(read_operand(right));
    term.value.kind = node == TreeNode::kPlus ? ValueKind::kPlus : ValueKind::kMinus;
    add_argument(term, std::move(left));
    add_argument(term, std::move(right));
    note(expr::check_arithmetic(term.value, node_name(node)));
    return {};
  }

  // These two fill an empty term that their caller owns, which keeps the frames of the recursion small.
  Result<void> read_operand(Term& term) {
    uint64_t operands = 0;
    PARTITA_TRY(const TreeNode node, read_node(operands));
    return read_operand(node, operands, term);
  }

  Result<void> read_operand(TreeNode node, uint64_t operands, Term& term) {
    if (node == TreeNode::kPath) {
      term.value.kind = ValueKind::kPath;
      return read_path(operands, term.value.path);
    }
    if (node == TreeNode::kVariable) {
      PARTITA_TRY(term.value.constant, read_variable(operands));
      return {};
    }
    const bool of_condition = node >= TreeNode::kAttributeExists && node <= TreeNode::kSize;
    if (!of_condition && node != TreeNode::kIfNotExists && node != TreeNode::kListAppend) {
      return malformed_tree("an update has no operand where one must be");
    }
    term.rank = next_rank();
    if (of_condition) note_form(term.rank, Fault::kExpressionFunctionNotInUpdate, {std::string(node_name(node))});
    return read_function(node, operands, term);
  }

  Result<void> read_function(TreeNode node, uint64_t operands, Term& term) {
    if (operands == 0) return no_expression();
    PARTITA_TRY_VOID(count_operator());
    term.value.kind = node == TreeNode::kListAppend ? ValueKind::kListAppend : ValueKind::kIfNotExists;
    for (uint64_t i = 0; i < operands; ++i) {
      Term argument;
      PARTITA_TRY_VOID(read_operand(argument));
      add_argument(term, std::move(argument));
    }
    note(expr::check_function(term.value, node_name(node)));
    return {};
  }

  // The result of list_append is not an operand of list_append or of arithmetic.
  void add_argument(Term& term, Term argument) {
    if (argument.value.kind == ValueKind::kListAppend && term.value.kind != ValueKind::kIfNotExists) {
      note_form(argument.rank, Fault::kExpressionFunctionMisused, {"list_append"});
    }
    term.value.arguments.push_back(std::move(argument.value));
  }

  std::vector<UpdateAction> actions_;
  std::optional<Kind> section_;
  std::array<std::optional<uint64_t>, 4> section_ranks_;
  uint64_t sections_ = 0;
  bool repeated_ = false;  // the section is the second of its kind
  std::optional<Error> deep_error_;
  std::optional<Error> last_error_;
};

class ProjectionReader : public TreeReader {
 public:
  explicit ProjectionReader(DecodedBytes* memory) : TreeReader(ExpressionKind::kProjection, memory) {}

  Result<expr::Projection> read(std::string_view bytes) {
    PARTITA_TRY_VOID(begin(bytes, std::nullopt));
    auto paths = in().array();
    if (!in().ok() || paths.indefinite()) return no_expression();
    if (paths.left == 0) return refuse(Fault::kExpressionEmpty);
    std::vector<expr::Projection::Column> columns;
    while (in().next(paths)) {
      PARTITA_TRY(Path path, read_target());
      columns.push_back({std::to_string(columns.size()), std::move(path)});
    }
    if (!in().finished()) return no_expression();
    if (form_error_) return *std::move(form_error_);
    if (meaning_error_) return *std::move(meaning_error_);
    std::vector<const Path*> pointers;
    pointers.reserve(columns.size());
    for (const auto& column : columns) pointers.push_back(&column.path);
    PARTITA_TRY_VOID(expr::check_apart(pointers, ExpressionKind::kProjection));
    return expr::Projection::of_columns(std::move(columns));
  }
};

}  // namespace

Result<expr::Condition> read_condition(std::string_view bytes, ExpressionKind kind, DecodedBytes* memory,
                                       Nesting nesting, std::string* canonical) {
  return ConditionReader(kind, memory).read(bytes, nesting, canonical);
}

Result<expr::Update> read_update(std::string_view bytes, DecodedBytes* memory, Nesting nesting,
                                 std::string* canonical) {
  return UpdateReader(memory).read(bytes, nesting, canonical);
}

Result<expr::Projection> read_projection(std::string_view bytes, DecodedBytes* memory) {
  return ProjectionReader(memory).read(bytes);
}

}  // namespace partita::wire::dax
