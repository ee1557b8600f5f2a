#include "wire/dax/tree_reader.h"

#include <array>
#include <utility>

#include "base/bytes.h"
#include "expr/parser.h"
#include "model/item_writer.h"
#include "model/limits.h"
#include "model/size.h"
#include "wire/dax/value.h"

namespace partita::wire::dax {

using expr::ExpressionKind;
using expr::Path;
using expr::ValuePtr;
using model::AttributeValue;
using model::Fault;

namespace {

constexpr int64_t kFormatVersion = 1;

constexpr std::array<std::string_view, 27> kNodeNames = {"=",
                                                         "<>",
                                                         "<",
                                                         ">=",
                                                         ">",
                                                         "<=",
                                                         "AND",
                                                         "OR",
                                                         "NOT",
                                                         "BETWEEN",
                                                         "IN",
                                                         "attribute_exists",
                                                         "attribute_not_exists",
                                                         "attribute_type",
                                                         "begins_with",
                                                         "contains",
                                                         "size",
                                                         "",
                                                         "",
                                                         "SET",
                                                         "ADD",
                                                         "DELETE",
                                                         "REMOVE",
                                                         "if_not_exists",
                                                         "list_append",
                                                         "+",
                                                         "-"};

// A text has at most that many steps of paths and values: each is a character, and another one stands between two.
constexpr size_t kMaxTerms = model::kMaxExpressionBytes / 2;

// About what an operator, a step of a path or an operand takes.
constexpr size_t kNodeBytes = 256;

// The next item with all in it, however deep. Empty, and `in` has failed, if there is an indefinite length.
std::string_view take_tree(CborReader& in) {
  const std::string_view tree = in.rest();
  for (uint64_t left = 1; left > 0 && in.ok(); --left) {
    const CborHead head = in.head();
    const bool container = head.major == CborMajor::kArray || head.major == CborMajor::kMap;
    if (head.indefinite() || (container && head.argument > in.rest().size())) in.fail();
    if (!in.ok()) return {};
    if (container) left += head.major == CborMajor::kMap ? 2 * head.argument : head.argument;
    if (head.major == CborMajor::kTag) ++left;
    if (head.major == CborMajor::kBytes || head.major == CborMajor::kText) in.take(head.argument);
  }
  return tree.substr(0, tree.size() - in.rest().size());
}

}  // namespace

std::string_view node_name(TreeNode node) { return kNodeNames[static_cast<size_t>(node)]; }

Error malformed_tree(std::string what) { return model::refuse(Fault::kDaxMalformed, {std::move(what)}); }

Result<void> TreeReader::begin(std::string_view bytes, std::optional<Nesting> values) {
  CborReader in(bytes);
  const uint64_t members = in.array().left;
  const int64_t version = in.integer();
  if (!in.ok() || members != (values ? 3 : 2)) return no_expression();
  if (version != kFormatVersion) {
    return model::refuse(Fault::kDaxUnsupported, {"Version " + std::to_string(version) + " of expressions"});
  }
  tree_ = take_tree(in);
  if (values) PARTITA_TRY_VOID(read_values(in, *values));
  if (!in.finished()) return no_expression();
  in_ = CborReader(tree_);
  return {};
}

void TreeReader::append_canonical(std::string& out) const {
  append_sized(out, tree_);
  model::ItemWriter stored(64);
  stored.members(values_->size());
  for (const AttributeValue& value : *values_) {
    stored.name("");
    stored.value(value);
  }
  append_sized(out, std::move(stored).take());
}

Error TreeReader::refuse(Fault fault, std::vector<std::string> args) const {
  args.insert(args.begin(), std::string(expr::expression_name(kind_)));
  return model::refuse(fault, std::move(args));
}

Result<void> TreeReader::count_operator() {
  if (!memory_.take(kNodeBytes)) return model::refuse(Fault::kOverloaded);
  if (++operators_ <= model::kMaxExpressionOperators) return {};
  return refuse(Fault::kExpressionTooManyOperators, {std::to_string(operators_)});
}

Result<void> TreeReader::count_term() {
  if (!memory_.take(kNodeBytes)) return model::refuse(Fault::kOverloaded);
  if (++terms_ <= kMaxTerms) return {};
  if (kind_ == ExpressionKind::kUpdate) return refuse(Fault::kUpdateTooLong);
  return refuse(Fault::kExpressionTooLong, {std::to_string(2 * terms_ - 1)});
}

void TreeReader::note_form(uint64_t rank, Fault fault, std::vector<std::string> args) {
  if (form_error_ && form_rank_ <= rank) return;
  form_rank_ = rank;
  form_error_ = refuse(fault, std::move(args));
}

Result<TreeNode> TreeReader::read_node(uint64_t& operands) {
  const CborReader::Members members = in_.array();
  const int64_t code = in_.integer();
  if (!in_.ok() || members.left == 0 || members.indefinite()) return no_expression();
  if (code < 0 || code >= static_cast<int64_t>(kNodeNames.size())) {
    return malformed_tree("an expression has an operation " + std::to_string(code));
  }
  operands = members.left - 1;
  return static_cast<TreeNode>(code);
}

Result<void> TreeReader::expect_operands(TreeNode node, uint64_t wanted, uint64_t operands) {
  if (operands == wanted) return {};
  return malformed_tree("an expression has " + std::string(node_name(node)) + " with " + std::to_string(operands) +
                        " operands");
}

Result<void> TreeReader::read_path(uint64_t elements, Path& path) {
  if (elements == 0 || in_.peek_major() != CborMajor::kText) return no_expression();
  PARTITA_TRY_VOID(count_term());
  next_rank();
  PARTITA_TRY(path.attribute, read_name());
  for (uint64_t i = 1; i < elements; ++i) PARTITA_TRY_VOID(read_step(path));
  if (path.steps.size() + 1 > expr::kMaxPathLevels) {
    note_meaning(Fault::kExpressionPathTooDeep, {std::to_string(path.steps.size() + 1)});
  }
  return {};
}

Result<Path> TreeReader::read_target() {
  uint64_t operands = 0;
  PARTITA_TRY(const TreeNode node, read_node(operands));
  if (node != TreeNode::kPath) return malformed_tree("an expression has no path where one must be");
  Path path;
  PARTITA_TRY_VOID(read_path(operands, path));
  return path;
}

Result<ValuePtr> TreeReader::read_variable(uint64_t operands) {
  PARTITA_TRY_VOID(expect_operands(TreeNode::kVariable, 1, operands));
  PARTITA_TRY_VOID(count_term());
  const int64_t index = in_.integer();
  if (!in_.ok() || index < 0 || static_cast<uint64_t>(index) >= values_->size()) {
    return malformed_tree("an expression names a value that it does not have");
  }
  return ValuePtr(values_, &(*values_)[static_cast<size_t>(index)]);
}

Result<void> TreeReader::read_values(CborReader& in, Nesting nesting) {
  auto members = in.array();
  if (!in.ok() || members.indefinite()) return no_expression();
  auto values = std::make_shared<TreeValues>();
  if (members.left > kMaxTerms) return malformed_tree("an expression has too many values");
  values->reserve(members.left);
  size_t bytes = 0;
  ValueCount count{memory_, model::kMaxPlaceholderBytes};
  while (in.next(members)) {
    auto value = read_value(in, nesting, count);
    if (!value.ok()) {
      if (model::fault_of(value.error()) == Fault::kItemTooLarge) return model::refuse(Fault::kValuesTooLarge);
      return std::move(value).error();
    }
    bytes += model::value_size(*value);
    if (bytes > model::kMaxPlaceholderBytes) return model::refuse(Fault::kValuesTooLarge);
    values->push_back(*std::move(value));
  }
  values_ = std::move(values);
  return {};
}

Result<std::string> TreeReader::read_name() {
  const std::string_view name = in_.text();
  if (!in_.ok()) return no_expression();
  if (!is_utf8(name)) return malformed_tree("a name in an expression is not UTF-8");
  if (name.empty()) return model::refuse(Fault::kEmptyAttributeName);
  if (name.size() > model::kMaxAttributeNameBytes) return model::refuse(Fault::kAttributeNameTooLong);
  return std::string(name);
}

Result<void> TreeReader::read_step(Path& path) {
  PARTITA_TRY_VOID(count_term());
  if (in_.peek_major() == CborMajor::kText) {
    PARTITA_TRY(std::string name, read_name());
    path.steps.emplace_back(std::move(name));
    return {};
  }
  const uint64_t tag = in_.tag();
  int64_t position = in_.integer();
  if (!in_.ok() || tag != kOrdinalTag || position < 0) return no_expression();
  const uint64_t rank = next_rank();
  if (static_cast<uint64_t>(position) > expr::kMaxListPosition) {
    note_form(rank, Fault::kExpressionIndexRange, {std::to_string(position)});
    position = 0;
  }
  path.steps.emplace_back(static_cast<uint32_t>(position));
  return {};
}

}  // namespace partita::wire::dax
