#include "partiql/literals.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "expr/parser.h"
#include "model/fault.h"
#include "model/java_number.h"
#include "model/limits.h"

namespace partita::partiql {

namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Fault;
using model::Number;
using model::refuse;

Fault with_key(Fault fault) {
  switch (fault) {
    case Fault::kNumberOverflow:
      return Fault::kPartiqlNumberOverflow;
    case Fault::kNumberUnderflow:
      return Fault::kPartiqlNumberUnderflow;
    case Fault::kNumberPrecision:
      return Fault::kPartiqlNumberPrecision;
    default:
      return Fault::kPartiqlUnreadable;
  }
}

Result<Number> literal_number(const Node& node, const std::string& key) {
  auto number = model::read_as_java(node.text);
  if (!number.ok()) return refuse(with_key(model::fault_of(number.error())), {key});
  return number;
}

std::string listed(const std::vector<Node>& members) {
  std::string list = "[";
  for (const Node& member : members) {
    if (list.size() > 1) list += ", ";
    list += member.text;
  }
  return list + "]";
}

Result<AttributeValue> bag_of(const Node& node, const std::string& key) {
  if (node.children.empty()) return refuse(Fault::kPartiqlEmptyBag);
  const NodeKind kind = node.children.front().kind;
  const auto is_other = [&](const Node& member) { return member.kind != kind; };
  const bool scalars = kind == NodeKind::kString || kind == NodeKind::kNumber;
  if (!scalars || std::ranges::any_of(node.children, is_other)) return refuse(Fault::kPartiqlBagTypes);
  if (kind == NodeKind::kString) {
    std::vector<std::string> members;
    for (const Node& member : node.children) members.push_back(member.text);
    AttributeValue set = AttributeValue::string_set(std::move(members));
    if (set.as_string_set().size() < node.children.size()) {
      return refuse(Fault::kPartiqlSameString, {listed(node.children)});
    }
    return set;
  }
  std::vector<Number> members;
  for (size_t i = 0; i < node.children.size(); ++i) {
    PARTITA_TRY(const Number member, literal_number(node.children[i], key + "[" + std::to_string(i) + "]"));
    members.push_back(member);
  }
  AttributeValue set = AttributeValue::number_set(std::move(members));
  if (set.as_number_set().size() < node.children.size()) {
    return refuse(Fault::kPartiqlSameNumber, {listed(node.children), key});
  }
  return set;
}

Result<AttributeValue> convert(const Node& node, const std::string& key, int depth);

Result<AttributeValue> list_of(const Node& node, const std::string& key, int depth) {
  AttributeValue::List list;
  for (size_t i = 0; i < node.children.size(); ++i) {
    PARTITA_TRY(AttributeValue member, convert(node.children[i], key + "[" + std::to_string(i) + "]", depth + 1));
    list.push_back(std::move(member));
  }
  return AttributeValue::list(std::move(list));
}

Result<AttributeValue> map_of(const Node& node, const std::string& key, int depth) {
  std::vector<AttributeMap::Entry> entries;
  std::set<std::string_view> names;
  for (size_t i = 0; i < node.children.size(); i += 2) {
    const Node& name = node.children[i];
    if (name.kind != NodeKind::kString) return refuse(Fault::kPartiqlStructKey, {kind_name(name), key});
    if (name.text.empty()) return refuse(Fault::kEmptyAttributeName);
    if (!names.insert(name.text).second) return refuse(Fault::kPartiqlSameStructKey, {name.text, key});
    PARTITA_TRY(AttributeValue value, convert(node.children[i + 1], key + "." + name.text, depth + 1));
    entries.push_back({name.text, std::move(value)});
  }
  return AttributeValue::map(AttributeMap::of(std::move(entries)));
}

// `depth` counts the lists and maps around the value.
Result<AttributeValue> convert(const Node& node, const std::string& key, int depth) {
  if (depth >= model::kMaxNestingDepth) return refuse(Fault::kPartiqlLiteralTooDeep, {key});
  switch (node.kind) {
    case NodeKind::kString:
      return AttributeValue::string(node.text);
    case NodeKind::kNumber: {
      PARTITA_TRY(const Number number, literal_number(node, key));
      return AttributeValue::number(number);
    }
    case NodeKind::kBoolean:
      return AttributeValue::boolean(node.text == "true");
    case NodeKind::kNull:
      return AttributeValue::null();
    case NodeKind::kIon:
      return refuse(Fault::kPartiqlIon, {node.text, key});
    case NodeKind::kList:
      return list_of(node, key, depth);
    case NodeKind::kBag:
      return bag_of(node, key);
    case NodeKind::kStruct:
      return map_of(node, key, depth);
    default:
      return refuse(Fault::kPartiqlDataType, {kind_name(node), key, describe(node.place)});
  }
}

Result<uint32_t> list_position(const Node& step) {
  const Node& position = step.children.front();
  if (position.kind != NodeKind::kNumber || position.text.find_first_of(".eE") != std::string::npos) {
    return refuse(Fault::kPartiqlPathComponent, {describe(position.place)});
  }
  int64_t number = -1;
  const char* const end = position.text.data() + position.text.size();
  const auto read = std::from_chars(position.text.data(), end, number);
  if (read.ec != std::errc() || number < 0 || number > std::numeric_limits<int32_t>::max()) {
    return refuse(Fault::kPartiqlListIndex, {position.text, describe(position.place)});
  }
  return static_cast<uint32_t>(number);
}

Result<expr::PathStep> step_of(const Node& step) {
  if (step.kind == NodeKind::kMembers) return refuse(Fault::kPartiqlUnpivot);
  if (step.kind == NodeKind::kElements) return refuse(Fault::kPartiqlWildcard);
  const bool named = step.kind == NodeKind::kElement && step.children.front().kind == NodeKind::kString;
  const std::string& name = named ? step.children.front().text : step.text;
  if (step.kind == NodeKind::kMember || named) {
    if (name.empty()) return refuse(Fault::kPartiqlEmptyName);
    return expr::PathStep(name);
  }
  PARTITA_TRY(const uint32_t position, list_position(step));
  return expr::PathStep(position);
}

}  // namespace

Result<AttributeValue> value_of(const Node& node) { return convert(node, "root", 0); }

Result<expr::Path> path_of(const Node& node) {
  expr::Path path;
  const Node& root = node.kind == NodeKind::kPath ? node.children.front() : node;
  if (root.kind != NodeKind::kName) return refuse(Fault::kPartiqlPathComponent, {describe(root.place)});
  if (root.text.empty()) return refuse(Fault::kPartiqlEmptyName);
  path.attribute = root.text;
  if (node.kind != NodeKind::kPath) return path;
  for (size_t i = 1; i < node.children.size(); ++i) {
    PARTITA_TRY(expr::PathStep step, step_of(node.children[i]));
    path.steps.push_back(std::move(step));
  }
  if (node.children.size() > expr::kMaxPathLevels) {
    return refuse(Fault::kPartiqlPathTooDeep, {std::to_string(node.children.size())});
  }
  return path;
}

bool is_path(const Node& node) {
  return node.kind == NodeKind::kName ||
         (node.kind == NodeKind::kPath && node.children.front().kind == NodeKind::kName);
}

bool is_literal(const Node& node) {
  switch (node.kind) {
    case NodeKind::kString:
    case NodeKind::kNumber:
    case NodeKind::kBoolean:
    case NodeKind::kNull:
    case NodeKind::kIon:
    case NodeKind::kList:
    case NodeKind::kBag:
    case NodeKind::kStruct:
      return true;
    default:
      return false;
  }
}

std::string kind_name(const Node& node) {
  switch (node.kind) {
    case NodeKind::kParameter:
      return "Parameter";
    case NodeKind::kMissing:
      return "Missing";
    case NodeKind::kName:
      return "Id";
    case NodeKind::kPath:
      return "Path";
    case NodeKind::kList:
      return "List";
    case NodeKind::kBag:
      return "Bag";
    case NodeKind::kStruct:
      return "Struct";
    case NodeKind::kCall:
    case NodeKind::kInfix:
    case NodeKind::kSign:
      return node.text;
    case NodeKind::kCallOfAll:
      return "CallAgg";
    case NodeKind::kNot:
      return "Not";
    case NodeKind::kAnd:
      return "And";
    case NodeKind::kOr:
      return "Or";
    case NodeKind::kBetween:
      return "Between";
    case NodeKind::kIn:
      return "InCollection";
    case NodeKind::kLike:
      return "Like";
    case NodeKind::kIs:
      return "IsType";
    case NodeKind::kStatement:
      return "Select";
    default:
      return "Lit";
  }
}

}  // namespace partita::partiql
