#include "service/mutate.h"

#include <array>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "service/json.h"

namespace partita::fuzz {

namespace {

constexpr std::array kScalars = {
    "null", "true", "false", "0", "1", "-1", "2147483648", "9223372036854775807", "1e400", "0.5", "\"\"", "\"null\"",
};
constexpr std::array kTypes = {"S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"};
constexpr std::array kWords = {
    "hash",
    "wide",
    "fresh",
    "arn:aws:dynamodb:us-east-1:000000000000:table/hash",
    "arn:aws:dynamodb:us-east-1:000000000000:table/wide",
    "arn:aws:dynamodb:us-east-1:000000000000:table/wide/index/by_owner",
    "arn:aws:dynamodb:eu-west-1:000000000000:table/hash",
    "pk",
    "sk",
    "when",
    "owner",
    "code",
    "title",
    "n",
    "l",
    "m",
    "ss",
    "a",
    "b",
    "by_when",
    "by_owner",
    "by_code",
    "#a",
    "#b",
    ":v",
    ":w",
    "AAE=",
    "1E125",
    "-0",
    "1e-130",
    "123456789012345678901234567890123456789",
    "ALL_NEW",
    "ALL_OLD",
    "UPDATED_NEW",
    "UPDATED_OLD",
    "NONE",
    "INDEXES",
    "TOTAL",
    "SIZE",
    "COUNT",
    "SPECIFIC_ATTRIBUTES",
    "ALL_PROJECTED_ATTRIBUTES",
    "ALL_ATTRIBUTES",
    "EQ",
    "NE",
    "IN",
    "BETWEEN",
    "BEGINS_WITH",
    "CONTAINS",
    "NOT_CONTAINS",
    "NOT_NULL",
    "LT",
    "AND",
    "OR",
    "PUT",
    "ADD",
    "DELETE",
    "HASH",
    "RANGE",
    "KEYS_ONLY",
    "INCLUDE",
    "ALL",
    "PROVISIONED",
    "PAY_PER_REQUEST",
};
constexpr std::array kExpressionWords = {
    "AND",
    "OR",
    "NOT",
    "(",
    ")",
    ",",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "BETWEEN",
    "IN",
    "+",
    "-",
    "SET",
    "REMOVE",
    "ADD",
    "DELETE",
    "#a",
    "#b",
    ":v",
    ":w",
    "pk",
    "sk",
    "n",
    "l",
    "m",
    "m.k",
    "l[0]",
    "l[5]",
    "ss",
    "owner",
    "when",
    "code",
    "title",
    "attribute_exists(n)",
    "attribute_not_exists(pk)",
    "attribute_type(n, :v)",
    "size(l)",
    "begins_with(pk, :v)",
    "contains(ss, :v)",
    "list_append(l, :v)",
    "if_not_exists(n, :v)",
    "a.b.c.d",
};
constexpr std::array kMembers = {
    "TableName",
    "Item",
    "Key",
    "Keys",
    "IndexName",
    "ConsistentRead",
    "Limit",
    "Select",
    "ExclusiveStartKey",
    "ScanIndexForward",
    "Segment",
    "TotalSegments",
    "FilterExpression",
    "KeyConditionExpression",
    "ProjectionExpression",
    "ConditionExpression",
    "UpdateExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "AttributesToGet",
    "Expected",
    "ConditionalOperator",
    "AttributeUpdates",
    "KeyConditions",
    "QueryFilter",
    "ScanFilter",
    "ReturnValues",
    "ReturnConsumedCapacity",
    "ReturnItemCollectionMetrics",
    "ReturnValuesOnConditionCheckFailure",
    "ClientRequestToken",
    "PutRequest",
    "DeleteRequest",
    "Put",
    "Update",
    "Delete",
    "ConditionCheck",
    "Get",
    "NonKeyAttributes",
    "Projection",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexUpdates",
    "ProvisionedThroughput",
    "#a",
    ":v",
    "pk",
    "sk",
    "owner",
    "hash",
    "wide",
};

struct Line {
  std::string operation;
  std::string raw;  // of what is no JSON
  std::optional<Json> body;
};

std::vector<Line> parse(std::string_view program) {
  std::vector<Line> lines;
  while (!program.empty()) {
    const std::string_view text = program.substr(0, program.find('\n'));
    program.remove_prefix(std::min(text.size() + 1, program.size()));
    if (text.empty()) continue;
    Line line;
    line.operation = text.substr(0, text.find(' '));
    line.raw = text.substr(std::min(line.operation.size() + 1, text.size()));
    line.body = parse_json(line.raw);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string print(const std::vector<Line>& lines) {
  std::string program;
  for (const Line& line : lines) {
    program.append(line.operation).append(" ").append(line.body ? print_json(*line.body) : line.raw).append("\n");
  }
  return program;
}

void collect(Json& json, std::vector<Json*>& all) {
  all.push_back(&json);
  for (Json& child : json.children) collect(child, all);
}

class Mutation {
 public:
  Mutation(std::vector<Line>& lines, Random& random) : lines_(lines), random_(random) {}

  void apply() {
    if (chance(8) || nodes().empty()) return change_lines();
    switch (random_.below(9)) {
      case 0:
        return replace();
      case 1:
        return swap();
      case 2:
        return drop();
      case 3:
        return repeat();
      case 4:
        return insert();
      case 5:
        return rename();
      case 6:
        return retype();
      case 7:
        return change_text();
      default:
        return wrap();
    }
  }

 private:
  bool chance(uint64_t one_in) { return random_.below(one_in) == 0; }
  template <class Range>
  auto& any(Range&& range) {
    return range[random_.below(std::size(range))];
  }
  std::vector<Json*> nodes() {
    std::vector<Json*> all;
    for (Line& line : lines_) {
      if (line.body) collect(*line.body, all);
    }
    return all;
  }
  // A node for which `wanted` holds, or null.
  template <class Wanted>
  Json* any_node(Wanted wanted) {
    std::vector<Json*> all;
    for (Json* node : nodes()) {
      if (wanted(*node)) all.push_back(node);
    }
    return all.empty() ? nullptr : any(all);
  }
  Json* any_parent() {
    return any_node([](const Json& json) { return !json.children.empty(); });
  }

  void change_lines() {
    if (lines_.empty()) return;
    Line line = any(lines_);
    const auto place = lines_.begin() + static_cast<ptrdiff_t>(random_.below(lines_.size()));
    switch (random_.below(4)) {
      case 0:
        lines_.insert(place, std::move(line));
        return;
      case 1:
        if (lines_.size() > 1) lines_.erase(place);
        return;
      case 2:
        return std::swap(*place, any(lines_));
      default:
        lines_.insert(place, Line{"@wait", std::to_string(uint64_t{1} << random_.below(32)), std::nullopt});
    }
  }

  // With null above all, a scalar, or a node from anywhere.
  void replace() {
    Json& target = *any(nodes());
    if (chance(4)) {
      target = Json::scalar("null");
    } else if (chance(2)) {
      target = Json::scalar(any(kScalars));
    } else {
      const Json other = *any(nodes());
      target = other;
    }
  }

  void swap() {
    Json* parent = any_parent();
    if (parent == nullptr) return;
    std::swap(any(parent->children), any(parent->children));
  }

  void drop() {
    Json* parent = any_parent();
    if (parent == nullptr) return;
    const auto at = static_cast<ptrdiff_t>(random_.below(parent->children.size()));
    parent->children.erase(parent->children.begin() + at);
    if (!parent->names.empty()) parent->names.erase(parent->names.begin() + at);
  }

  // An element or a member once more, or often, as it is or with another name.
  void repeat() {
    Json* parent = any_parent();
    if (parent == nullptr) return;
    const size_t at = random_.below(parent->children.size());
    const Json child = parent->children[at];
    const uint64_t times = chance(6) ? 1 + random_.below(120) : 1;
    for (uint64_t i = 0; i < times; ++i) {
      parent->children.push_back(child);
      if (parent->kind != Json::Kind::kObject) continue;
      const std::string name = parent->names[at];
      parent->names.push_back(times == 1 ? name : name + std::to_string(i));
    }
  }

  void insert() {
    Json* target = any_node([](const Json& json) { return json.kind != Json::Kind::kScalar; });
    if (target == nullptr) return;
    const Json child = chance(2) ? *any(nodes()) : Json::scalar(any(kScalars));
    target->children.push_back(child);
    if (target->kind == Json::Kind::kObject) target->names.emplace_back(any(kMembers));
  }

  void rename() {
    Json* target = any_node([](const Json& json) { return !json.names.empty(); });
    if (target != nullptr) any(target->names) = any(kMembers);
  }

  // {"S":"x"} becomes {"N":"x"} and the like.
  void retype() {
    Json* target = any_node([](const Json& json) { return json.names.size() == 1 && json.names[0].size() <= 4; });
    if (target != nullptr) target->names[0] = any(kTypes);
  }

  void change_text() {
    Json* target = any_node([](const Json& json) { return json.is_string(); });
    if (target == nullptr) return;
    const std::string content(target->content());
    if (content.find(' ') == std::string::npos) {
      target->text = Json::string(chance(4) ? std::string(any(kExpressionWords)) : std::string(any(kWords))).text;
    } else {
      target->text = "\"" + change_expression(content) + "\"";
    }
  }

  std::string change_expression(const std::string& expression) {
    std::vector<std::string> words{""};
    for (const char c : expression) {
      if (c == ' ') {
        words.emplace_back();
      } else {
        words.back() += c;
      }
    }
    const size_t at = random_.below(words.size());
    const auto place = words.begin() + static_cast<ptrdiff_t>(at);
    const std::string copy = any(words);
    switch (random_.below(4)) {
      case 0:
        words[at] = any(kExpressionWords);
        break;
      case 1:
        words.insert(place, any(kExpressionWords));
        break;
      case 2:
        words.insert(place, copy);
        break;
      default:
        words.erase(place);
    }
    std::string changed;
    for (const std::string& word : words) changed += (changed.empty() ? "" : " ") + word;
    return changed;
  }

  // Deeper by a list or a map, once or often.
  void wrap() {
    Json& target = *any(nodes());
    const uint64_t depth = chance(6) ? 1 + random_.below(40) : 1;
    const bool list = chance(2);
    for (uint64_t i = 0; i < depth; ++i) {
      Json inner{Json::Kind::kObject, {}, {list ? "L" : "M"}, {}};
      Json outer = list ? Json{Json::Kind::kArray, {}, {}, {}} : Json{Json::Kind::kObject, {}, {"k"}, {}};
      outer.children.push_back(std::move(target));
      inner.children.push_back(std::move(outer));
      target = std::move(inner);
    }
  }

  std::vector<Line>& lines_;
  Random& random_;
};

}  // namespace

std::string mutate_program(std::string_view program, Random& random, size_t max_size) {
  std::vector<Line> lines = parse(program);
  const uint64_t changes = 1 + random.below(4);
  for (uint64_t i = 0; i < changes; ++i) Mutation(lines, random).apply();
  std::string changed = print(lines);
  return changed.size() <= max_size ? changed : std::string(program);
}

std::string cross_programs(std::string_view a, std::string_view b, Random& random, size_t max_size) {
  const std::vector<Line> left = parse(a);
  const std::vector<Line> right = parse(b);
  std::vector<Line> lines;
  for (size_t i = 0, j = 0; i < left.size() || j < right.size();) {
    const bool from_left = j == right.size() || (i < left.size() && random.below(2) == 0);
    lines.push_back(from_left ? left[i++] : right[j++]);
  }
  std::string crossed = print(lines);
  return crossed.size() <= max_size ? crossed : std::string(a);
}

}  // namespace partita::fuzz
