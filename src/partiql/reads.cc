#include "partiql/reads.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "model/fault.h"
#include "partiql/key_plan.h"

namespace partita::partiql {

namespace {

using expr::Condition;
using expr::ConditionNode;
using expr::ConditionOp;
using model::Fault;
using model::refuse;

ConditionNode all_of(const std::vector<const ConditionNode*>& nodes) {
  ConditionNode all;
  for (const ConditionNode* const node : nodes) all.children.push_back(*node);
  return all;
}

ConditionNode compared(ConditionOp op, const std::string& attribute,
                       std::initializer_list<const model::AttributeValue*> values) {
  ConditionNode node;
  node.op = op;
  node.operands.emplace_back().path.attribute = attribute;
  for (const model::AttributeValue* const value : values) {
    node.operands.emplace_back().value = std::make_shared<const model::AttributeValue>(*value);
  }
  return node;
}

// A Query knows one condition on the sort key: the one that leaves least.
std::optional<ConditionNode> sort_condition(const Branch& branch, const std::string& sort) {
  const auto& [lower, upper] = branch.range;
  if (branch.range.is_empty()) return *branch.sort.front();
  const bool both = lower && upper && lower->value != nullptr && upper->value != nullptr;
  if (both && lower->bytes == upper->bytes) return compared(ConditionOp::kEqual, sort, {lower->value});
  for (const ConditionNode* const node : branch.sort) {
    if (node->op == ConditionOp::kBeginsWith) return *node;
  }
  if (both) return compared(ConditionOp::kBetween, sort, {lower->value, upper->value});
  if (lower) return compared(lower->closed ? ConditionOp::kGreaterEqual : ConditionOp::kGreater, sort, {lower->value});
  if (upper) return compared(upper->closed ? ConditionOp::kLessEqual : ConditionOp::kLess, sort, {upper->value});
  return std::nullopt;
}

class Reads {
 public:
  Reads(const Statement& statement, const table::TableInfo& table, const ReadOptions& options)
      : statement_(statement),
        table_(table),
        index_(statement.index ? table.find_index(*statement.index) : nullptr),
        keys_(index_ == nullptr ? table.keys : index_->keys),
        options_(options) {}

  Result<std::vector<api::RangeRequest>> make() {
    if (statement_.index && index_ == nullptr) return refuse(Fault::kPartiqlIndexNotFound);
    if (index_ != nullptr && index_->vector)
      return refuse(names_hash() ? Fault::kQueryOfVectors : Fault::kScanOfVectors);
    if (index_ != nullptr && index_->global) PARTITA_TRY_VOID(check_global());
    if (!statement_.where) return whole();
    const KeyPlan plan(*statement_.where, keys_);
    PARTITA_TRY_VOID(plan.check());
    PARTITA_TRY_VOID(check_order(plan));
    if (!plan.is_keyed()) return whole();
    if (index_ != nullptr) PARTITA_TRY_VOID(check_filters(plan));
    return queries(plan);
  }

 private:
  // Of a vector index, which only SearchVectors reaches.
  bool names_hash() const {
    return statement_.where && !keys_.partition.empty() && KeyPlan(*statement_.where, keys_).is_keyed();
  }

  Result<void> check_global() const {
    if (options_.consistent) return refuse(Fault::kPartiqlConsistentIndex);
    std::vector<std::string> names;
    for (const auto& column : statement_.columns) {
      if (std::ranges::find(names, column.path.attribute) == names.end()) names.push_back(column.path.attribute);
    }
    const auto missing = table::not_projected(table_, *index_, names);
    if (!missing.empty()) return refuse(Fault::kProjectionNotInIndex, {index_->name, table::bracketed(missing)});
    return {};
  }

  Result<void> check_order(const KeyPlan& plan) const {
    if (statement_.order.empty()) return {};
    for (const Order& order : statement_.order) {
      if (!keys_.names(order.attribute)) return refuse(Fault::kPartiqlOrderByNonKey, {order.attribute});
    }
    if (!plan.is_keyed()) return refuse(Fault::kPartiqlOrderWithoutKey);
    const auto& branches = plan.branches();
    const bool one = std::ranges::all_of(
        branches, [&](const Branch& branch) { return branch.partition_bytes == branches.front().partition_bytes; });
    if (!one && order_of(keys_.partition.front().name) == nullptr) return refuse(Fault::kPartiqlOrderWithoutHash);
    return {};
  }

  const Order* order_of(const std::string& attribute) const {
    const auto found = std::ranges::find(statement_.order, attribute, &Order::attribute);
    return found == statement_.order.end() ? nullptr : &*found;
  }

  // Measured: once there is an ORDER BY, a sort key that it does not name descends.
  bool is_forward() const {
    if (statement_.order.empty()) return true;
    const Order* const order = keys_.sort.empty() ? nullptr : order_of(keys_.sort.front().name);
    return order != nullptr && !order->descending;
  }

  // Measured: branches are looked at in an order of theirs, and as soon as one of them needs nothing that the index
  // lacks, none is refused; the names come as a hash set of Java's has them.
  Result<void> check_filters(const KeyPlan& plan) const {
    std::vector<std::string> last;
    for (const Branch& branch : plan.branches()) {
      const Condition filter(all_of(branch.filters));
      last = table::not_projected(table_, *index_, filter.attributes());
      if (last.empty()) return {};
    }
    return refuse(Fault::kPartiqlFilterNotInIndex, {index_->name, table::bracketed(as_hashed(std::move(last)))});
  }

  // Of the UTF-16 code units. Precondition: UTF-8.
  static uint32_t java_hash(std::string_view name) {
    uint32_t hash = 0;
    const auto add = [&](uint32_t unit) { hash = 31 * hash + unit; };
    for (size_t i = 0; i < name.size();) {
      const auto byte = static_cast<unsigned char>(name[i++]);
      size_t more = byte < 0xc0 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      uint32_t point = more == 0 ? byte : byte & (0x3fU >> more);
      for (; more > 0 && i < name.size(); --more) point = point << 6 | (static_cast<unsigned char>(name[i++]) & 0x3fU);
      if (point >= 0x10000) {
        add(0xd800 + ((point - 0x10000) >> 10));
        add(0xdc00 + ((point - 0x10000) & 0x3ff));
      } else {
        add(point);
      }
    }
    return hash ^ (hash >> 16);
  }

  static std::vector<std::string> as_hashed(std::vector<std::string> names) {
    size_t buckets = 16;
    while (names.size() > buckets / 4 * 3) buckets *= 2;
    std::ranges::stable_sort(names, {}, [&](const std::string& name) { return java_hash(name) & (buckets - 1); });
    return names;
  }

  api::RangeRequest request() const {
    api::RangeRequest made;
    made.table = statement_.table;
    made.index = statement_.index;
    made.forward = is_forward();
    made.projection = projection_of(statement_);
    if (made.projection) made.select = api::Select::kSpecific;
    made.consistent = options_.consistent;
    made.capacity = options_.capacity;
    made.of_statement = true;
    return made;
  }

  std::vector<api::RangeRequest> whole() const {
    std::vector<api::RangeRequest> reads;
    reads.push_back(request());
    if (statement_.where) reads.back().filter = Condition(*statement_.where);
    return reads;
  }

  std::vector<api::RangeRequest> queries(const KeyPlan& plan) const {
    std::vector<std::vector<api::RangeRequest>> partitions;
    const auto& branches = plan.branches();
    for (size_t begin = 0; begin < branches.size();) {
      size_t end = begin;
      bool negated = false;
      while (end < branches.size() && branches[end].partition_bytes == branches[begin].partition_bytes) {
        negated = plan.is_negated(branches[end++]) || negated;
      }
      auto& reads = partitions.emplace_back();
      const std::span<const Branch> same(branches.data() + begin, end - begin);
      if (negated && same.size() > 1) {
        reads.push_back(union_of(same));
      } else {
        for (const Branch& branch : same) {
          if (!branch.range.is_empty()) reads.push_back(query(branch));
        }
      }
      begin = end;
    }
    const Order* const order = order_of(keys_.partition.front().name);
    if (order != nullptr && order->descending) std::ranges::reverse(partitions);
    std::vector<api::RangeRequest> all;
    for (auto& reads : partitions) {
      if (!is_forward()) std::ranges::reverse(reads);
      std::ranges::move(reads, std::back_inserter(all));
    }
    if (all.empty()) all.push_back(query(branches.front()));  // which finds nothing, and costs what that costs
    return all;
  }

  ConditionNode partition_condition(const Branch& branch) const {
    return compared(ConditionOp::kEqual, keys_.partition.front().name, {branch.partition});
  }

  api::RangeRequest query(const Branch& branch) const {
    api::RangeRequest made = request();
    ConditionNode keys;
    keys.children.push_back(partition_condition(branch));
    std::vector<const ConditionNode*> filters = branch.filters;
    if (!branch.sort.empty()) {
      if (auto sort = sort_condition(branch, keys_.sort.front().name)) keys.children.push_back(*std::move(sort));
      const bool said = branch.sort.size() == 1;
      if (!said) filters.insert(filters.end(), branch.sort.begin(), branch.sort.end());
    }
    made.keys = Condition(std::move(keys));
    if (!filters.empty()) made.filter = Condition(all_of(filters));
    return made;
  }

  // One read of the partition that finds what any of the branches does.
  api::RangeRequest union_of(std::span<const Branch> branches) const {
    api::RangeRequest made = request();
    ConditionNode keys;
    keys.children.push_back(partition_condition(branches.front()));
    made.keys = Condition(std::move(keys));
    ConditionNode any;
    any.op = ConditionOp::kOr;
    for (const Branch& branch : branches) {
      std::vector<const ConditionNode*> nodes = branch.sort;
      nodes.insert(nodes.end(), branch.filters.begin(), branch.filters.end());
      any.children.push_back(all_of(nodes));
    }
    made.filter = Condition(std::move(any));
    return made;
  }

  const Statement& statement_;
  const table::TableInfo& table_;
  const table::IndexInfo* index_;
  const model::KeySchema& keys_;
  const ReadOptions& options_;
};

}  // namespace

Result<std::vector<api::RangeRequest>> reads_of(const Statement& statement, const table::TableInfo& table,
                                                const ReadOptions& options) {
  return Reads(statement, table, options).make();
}

Result<std::optional<model::Item>> key_of_read(const Statement& statement, const table::TableInfo& table) {
  std::optional<model::Item> nothing;
  if (!statement.where) return nothing;
  const KeyPlan plan(*statement.where, table.keys);
  if (auto checked = plan.check(); !checked.ok()) {
    const Fault fault = model::fault_of(checked.error());
    if (fault != Fault::kPartiqlKeyType && fault != Fault::kPartiqlKeyValueType) return std::move(checked).error();
  }
  if (plan.branches().size() != 1) return nothing;
  const Branch& branch = plan.branches().front();
  if (branch.partition == nullptr || !branch.filters.empty()) return nothing;
  model::Item key;
  key.set(table.keys.partition.front().name, *branch.partition);
  for (const ConditionNode* const node : branch.sort) {
    const std::string& sort = table.keys.sort.front().name;
    const model::AttributeValue& value = *node->operands[1].value;
    const model::AttributeValue* const said = key.find(sort);
    if (node->op != ConditionOp::kEqual || (said != nullptr && *said != value)) return nothing;
    key.set(sort, value);
  }
  if (key.size() != 1 + table.keys.sort.size()) return nothing;
  return std::optional<model::Item>(std::move(key));
}

std::optional<expr::Projection> projection_of(const Statement& statement) {
  if (statement.columns.empty()) return std::nullopt;
  return expr::Projection::of_columns(statement.columns);
}

}  // namespace partita::partiql
