#include "partiql/updates.h"

#include "expr/parser.h"
#include "model/fault.h"
#include "partiql/literals.h"

namespace partita::partiql {

namespace {

using expr::UpdateAction;
using expr::UpdateValue;
using model::Fault;
using model::refuse;
using model::Type;

bool is_sum(const Node& node) { return node.kind == NodeKind::kInfix && (node.text == "+" || node.text == "-"); }

class Updates {
 public:
  explicit Updates(const Parameters& parameters) : parameters_(parameters) {}

  Result<UpdateAction> action(const UpdateClause& change) {
    UpdateAction made;
    PARTITA_TRY(made.path, path_of(change.target));
    if (change.kind == UpdateClause::Kind::kRemove) {
      made.kind = UpdateAction::Kind::kRemove;
      return made;
    }
    const Node& value = change.value;
    const bool add = value.kind == NodeKind::kCall && value.text == "set_add";
    const bool take = value.kind == NodeKind::kCall && value.text == "set_delete";
    if (add || take) {
      made.kind = add ? UpdateAction::Kind::kAdd : UpdateAction::Kind::kDelete;
      PARTITA_TRY(made.value.constant, members(value, made.path, add ? "ADD" : "DELETE"));
      return made;
    }
    PARTITA_TRY(made.value, right_hand(value));
    return made;
  }

 private:
  // set_add(path, set) and set_delete(path, set), where the path is the assigned one.
  Result<expr::ValuePtr> members(const Node& call, const expr::Path& target, const std::string& name) {
    if (call.children.size() != 2) return refuse(Fault::kPartiqlSetCount, {name, describe(call.place)});
    const Node& first = call.children[0];
    const Node& second = call.children[1];
    const Error other = refuse(Fault::kPartiqlSetFirst, {name, describe(call.place)});
    if (!is_path(first)) return other;
    PARTITA_TRY(const expr::Path path, path_of(first));
    if (path != target) return other;
    if (is_constant(second)) {
      PARTITA_TRY(expr::ValuePtr value, constant_of(second, parameters_));
      if (value->is_set()) return value;
    }
    return refuse(Fault::kPartiqlSetSecond, {name, describe(first.place)});
  }

  Result<UpdateValue> right_hand(const Node& node) {
    UpdateValue made;
    if (is_constant(node)) {
      PARTITA_TRY(made.constant, constant_of(node, parameters_));
      return made;
    }
    if (is_path(node)) {
      made.kind = UpdateValue::Kind::kPath;
      PARTITA_TRY(made.path, path_of(node));
      return made;
    }
    if (is_sum(node)) {
      made.kind = node.text == "+" ? UpdateValue::Kind::kPlus : UpdateValue::Kind::kMinus;
      return with_arguments(node, Type::kN, std::move(made));
    }
    if (node.kind == NodeKind::kCall && node.text == "list_append") {
      made.kind = UpdateValue::Kind::kListAppend;
      if (node.children.size() != 2) {
        return refuse(Fault::kPartiqlOperandCount, {node.text, std::to_string(node.children.size())});
      }
      return with_arguments(node, Type::kL, std::move(made));
    }
    return not_a_value(node);
  }

  static Error not_a_value(const Node& node) {
    switch (node.kind) {
      case NodeKind::kCall:
        return refuse(Fault::kPartiqlFunction, {node.text, describe(node.place)});
      case NodeKind::kMissing:
        return refuse(Fault::kPartiqlMissing);
      case NodeKind::kPath:
        return refuse(Fault::kPartiqlPathComponent, {describe(node.place)});
      default:
        return refuse(Fault::kPartiqlUpdateOperator, {kind_name(node)});
    }
  }

  // Of an operator or a function whose operands have all one type.
  Result<UpdateValue> with_arguments(const Node& node, Type type, UpdateValue made) {
    for (const Node& child : node.children) {
      PARTITA_TRY(UpdateValue argument, right_hand(child));
      if (argument.constant != nullptr && !argument.constant->is(type)) {
        return refuse(Fault::kPartiqlOperandType,
                      {node.text, std::string(model::type_name(argument.constant->type()))});
      }
      made.arguments.push_back(std::move(argument));
    }
    return made;
  }

  const Parameters& parameters_;
};

}  // namespace

Result<expr::Update> update_of(const std::vector<UpdateClause>& changes, const Parameters& parameters) {
  std::vector<UpdateAction> actions;
  for (const UpdateClause& change : changes) {
    PARTITA_TRY(UpdateAction action, Updates(parameters).action(change));
    actions.push_back(std::move(action));
  }
  std::vector<const expr::Path*> paths;
  for (const UpdateAction& action : actions) paths.push_back(&action.path);
  if (auto apart = expr::check_apart(paths, expr::ExpressionKind::kUpdate); !apart.ok()) {
    const Error& clash = apart.error();
    const bool overlap = model::fault_of(clash) == Fault::kExpressionPathsOverlap;
    return refuse(overlap ? Fault::kPartiqlPathsOverlap : Fault::kPartiqlPathsConflict,
                  {clash.args()[1], clash.args()[2]});
  }
  return expr::Update(std::move(actions));
}

}  // namespace partita::partiql
