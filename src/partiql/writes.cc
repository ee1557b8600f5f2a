#include "partiql/writes.h"

#include "model/fault.h"
#include "model/item_codec.h"

namespace partita::partiql {

namespace {

using expr::Condition;
using expr::ConditionNode;
using expr::ConditionOp;
using model::Fault;
using model::refuse;
using Kind = Statement::Kind;
using ActionKind = api::WriteAction::Kind;

ConditionNode presence(const std::string& attribute, bool present) {
  ConditionNode node;
  node.op = present ? ConditionOp::kAttributeExists : ConditionOp::kAttributeNotExists;
  node.operands.emplace_back().path.attribute = attribute;
  return node;
}

// The key that a WHERE clause names with equalities that all have to hold, and what else it says.
class Target {
 public:
  Target(const Statement& statement, const table::TableInfo& table) : statement_(statement), table_(table) {
    if (statement.where) take(*statement.where);
  }

  Result<void> check() const {
    const bool exists = statement_.kind == Kind::kExists;
    if (!exists && twice_ != nullptr) return refuse(Fault::kPartiqlKeyTwice, {*twice_});
    const size_t wanted = table_.keys.partition.size() + table_.keys.sort.size();
    if (exists && (key_.size() < wanted || rest_.children.empty())) return refuse(Fault::kPartiqlExistsForm);
    if (key_.size() < wanted) return refuse(Fault::kPartiqlKeyIncomplete);
    for (const auto* elements : {&table_.keys.partition, &table_.keys.sort}) {
      for (const model::KeyElement& element : *elements) {
        if (!key_.find(element.name)->is(element.type)) return refuse(Fault::kPartiqlKeyType, {element.name});
      }
    }
    return {};
  }

  model::Item take_key() { return std::move(key_); }
  // AND of everything that is not the key.
  ConditionNode take_rest() { return std::move(rest_); }

 private:
  void take(const ConditionNode& node) {
    if (node.op == ConditionOp::kAnd) {
      for (const ConditionNode& child : node.children) take(child);
    } else if (!take_key_value(node)) {
      rest_.children.push_back(node);
    }
  }

  bool take_key_value(const ConditionNode& node) {
    if (node.op != ConditionOp::kEqual) return false;
    const expr::Operand& left = node.operands[0];
    const expr::Operand& right = node.operands[1];
    const bool attribute = left.value == nullptr && !left.size && left.path.is_attribute();
    if (!attribute || right.value == nullptr || right.size || !table_.keys.names(left.path.attribute)) return false;
    const model::AttributeValue* const said = key_.find(left.path.attribute);
    if (said == nullptr) {
      key_.set(left.path.attribute, *right.value);
      return true;
    }
    if (*said == *right.value) return true;
    twice_ = &left.path.attribute;
    return false;
  }

  const Statement& statement_;
  const table::TableInfo& table_;
  model::Item key_;
  ConditionNode rest_;
  const std::string* twice_ = nullptr;
};

Result<api::WriteAction> insertion(const Statement& statement, const table::TableInfo& table) {
  api::WriteAction action;
  action.kind = ActionKind::kPut;
  for (const auto* elements : {&table.keys.partition, &table.keys.sort}) {
    for (const model::KeyElement& element : *elements) {
      const model::AttributeValue* const value = statement.item.find(element.name);
      if (value == nullptr) return refuse(Fault::kPartiqlKeyAbsent, {element.name});
      if (!value->is(element.type)) return refuse(Fault::kPartiqlKeyType, {element.name});
    }
  }
  action.item = model::encode_item(statement.item);
  action.condition = Condition(presence(table.keys.partition.front().name, false));
  return action;
}

}  // namespace

Result<api::WriteAction> write_of(const Statement& statement, const table::TableInfo& table) {
  if (statement.kind == Kind::kInsert) return insertion(statement, table);
  if (statement.kind == Kind::kExists && statement.index) return refuse(Fault::kPartiqlExistsIndex);
  Target target(statement, table);
  PARTITA_TRY_VOID(target.check());
  api::WriteAction action;
  action.key = target.take_key();
  const std::string& key = table.keys.partition.front().name;
  ConditionNode rest = target.take_rest();
  if (statement.kind == Kind::kDelete) {
    action.kind = ActionKind::kDelete;
    action.wants_before = statement.returned != api::ReturnValues::kNone;
    if (rest.children.empty()) return action;
    ConditionNode either;
    either.op = ConditionOp::kOr;
    either.children.push_back(presence(key, false));
    either.children.push_back(std::move(rest));
    action.condition = Condition(std::move(either));
    return action;
  }
  action.kind = statement.kind == Kind::kUpdate ? ActionKind::kUpdate : ActionKind::kCheck;
  action.update = statement.update;
  action.wants_before = statement.kind == Kind::kUpdate;
  rest.children.insert(rest.children.begin(), presence(key, true));
  action.condition = Condition(std::move(rest));
  return action;
}

}  // namespace partita::partiql
