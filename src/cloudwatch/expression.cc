#include "cloudwatch/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "model/fault.h"

namespace partita::cloudwatch {

struct Expression::Node {
  enum class Kind : uint8_t { kNumber, kId, kPeriod, kFill, kNegative, kOperator };
  Kind kind = Kind::kNumber;
  double number = 0;
  std::string id;
  char sign = 0;
  std::shared_ptr<const Node> left;
  std::shared_ptr<const Node> right;
};

namespace {

using Node = Expression::Node;
using Kind = Node::Kind;
using NodeRef = std::shared_ptr<const Node>;

constexpr int kMostMathDepth = 50;
constexpr std::string_view kOtherFiller = "FILL with another filler than a number is not served by Partita.";

Error bad(std::string_view text, std::string why) {
  return model::refuse(model::Fault::kMonitorExpression, {std::string(text), std::move(why)});
}

// The first character of a text, of however many bytes. Precondition: there is one.
std::string first_character(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return {text.begin(), std::find_if_not(text.begin() + 1, text.end(), continues)};
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

class MathParser {
 public:
  explicit MathParser(std::string_view text) : text_(text), rest_(text) {}

  Result<NodeRef> parse() {
    if (is_query()) return bad(text_, "Metrics Insights (SELECT) is not served by Partita.");
    PARTITA_TRY(NodeRef root, sum(0));
    if (take_any("<>=!")) return bad(text_, "Comparisons are not served by Partita.");
    if (!rest_.empty()) return bad(text_, "Unexpected '" + first_character(rest_) + "'.");
    return root;
  }

 private:
  // Of Metrics Insights. Its words have any case.
  bool is_query() {
    constexpr std::string_view kSelect = "SELECT";
    skip();
    const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
    const std::string_view first = rest_.substr(0, std::min(rest_.find_first_of(" \t\r\n"), rest_.size()));
    return first.size() < rest_.size() && std::ranges::equal(first, kSelect, {}, upper);
  }
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool take(char c) {
    skip();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<char> take_any(std::string_view signs) {
    skip();
    if (rest_.empty() || signs.find(rest_[0]) == std::string_view::npos) return std::nullopt;
    const char sign = rest_[0];
    rest_.remove_prefix(1);
    return sign;
  }

  static NodeRef apply(char sign, NodeRef left, NodeRef right) {
    auto node = std::make_shared<Node>();
    node->kind = Kind::kOperator;
    node->sign = sign;
    node->left = std::move(left);
    node->right = std::move(right);
    return node;
  }

  Result<NodeRef> sum(int depth) {
    if (depth > kMostMathDepth) return bad(text_, "It is nested too deeply.");
    PARTITA_TRY(NodeRef left, product(depth));
    while (const auto sign = take_any("+-")) {
      PARTITA_TRY(NodeRef right, product(depth));
      left = apply(*sign, std::move(left), std::move(right));
    }
    return left;
  }
  Result<NodeRef> product(int depth) {
    PARTITA_TRY(NodeRef left, power(depth));
    while (const auto sign = take_any("*/")) {
      PARTITA_TRY(NodeRef right, power(depth));
      left = apply(*sign, std::move(left), std::move(right));
    }
    return left;
  }
  Result<NodeRef> power(int depth) {
    PARTITA_TRY(NodeRef left, operand(depth));
    if (!take('^')) return left;
    if (depth > kMostMathDepth) return bad(text_, "It is nested too deeply.");
    PARTITA_TRY(NodeRef right, power(depth + 1));
    return apply('^', std::move(left), std::move(right));
  }
  Result<NodeRef> operand(int depth) {
    if (depth > kMostMathDepth) return bad(text_, "It is nested too deeply.");
    if (take('-')) {
      auto node = std::make_shared<Node>();
      node->kind = Kind::kNegative;
      PARTITA_TRY(node->left, operand(depth + 1));
      return NodeRef(std::move(node));
    }
    if (take('(')) {
      PARTITA_TRY(NodeRef inside, sum(depth + 1));
      if (!take(')')) return bad(text_, "A ')' is missing.");
      return inside;
    }
    skip();
    if (rest_.empty()) return bad(text_, "It ends too early.");
    if ((rest_[0] >= '0' && rest_[0] <= '9') || rest_[0] == '.') return number();
    return named();
  }
  Result<NodeRef> number() {
    auto node = std::make_shared<Node>();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), node->number);
    if (error != std::errc()) return bad(text_, "A number cannot be read.");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return NodeRef(std::move(node));
  }
  std::string word() {
    const auto end = std::ranges::find_if_not(rest_, is_word);
    std::string taken(rest_.begin(), end);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  Result<NodeRef> named() {
    std::string name = word();
    if (name.empty()) return bad(text_, "Unexpected '" + first_character(rest_) + "'.");
    const bool called = take('(');
    if (called && name != "PERIOD" && name != "FILL") {
      return bad(text_, "The function " + name + " is not served by Partita.");
    }
    auto node = std::make_shared<Node>();
    node->kind = called ? (name == "FILL" ? Kind::kFill : Kind::kPeriod) : Kind::kId;
    node->id = std::move(name);
    if (called) {
      skip();
      node->id = word();
      if (node->kind == Kind::kFill) {
        if (!take(',')) return bad(text_, "FILL takes an id and a number.");
        skip();
        const bool named_filler = !rest_.empty() && is_word(rest_[0]) && (rest_[0] < '0' || rest_[0] > '9');
        if (named_filler) return bad(text_, std::string(kOtherFiller));
        PARTITA_TRY(node->right, operand(kMostMathDepth));
        if (node->right->kind != Kind::kNumber) return bad(text_, std::string(kOtherFiller));
      }
      if (!take(')')) return bad(text_, "A ')' is missing.");
    }
    if (node->id.empty() || node->id[0] < 'a' || node->id[0] > 'z') {
      return bad(text_, "An id begins with a lower-case letter.");
    }
    return NodeRef(std::move(node));
  }

  const std::string_view text_;
  std::string_view rest_;
};

template <class Use>
void for_each_node(const Node& node, Use& use) {
  use(node);
  if (node.left != nullptr) for_each_node(*node.left, use);
  if (node.right != nullptr) for_each_node(*node.right, use);
}

using Value = std::variant<double, const Values*, Values>;  // a number, the values of an id, or computed ones

const double* number_of(const Value& value) { return std::get_if<double>(&value); }
// Precondition: it is no number.
const Values& values_in(const Value& value) {
  const auto* const computed = std::get_if<Values>(&value);
  return computed != nullptr ? *computed : *std::get<const Values*>(value);
}

std::optional<double> result_of(char sign, double left, double right) {
  double value = 0;
  switch (sign) {
    case '+':
      value = left + right;
      break;
    case '-':
      value = left - right;
      break;
    case '*':
      value = left * right;
      break;
    case '/':
      value = left / right;
      break;
    default:
      value = std::pow(left, right);
  }
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

Value combined(char sign, const Value& left, const Value& right) {
  const double* const left_number = number_of(left);
  const double* const right_number = number_of(right);
  if (left_number != nullptr && right_number != nullptr) {
    return result_of(sign, *left_number, *right_number).value_or(0);
  }
  Values values;
  const auto add = [&](int64_t at_ms, double one, double other) {
    if (const auto value = result_of(sign, one, other)) values.emplace_back(at_ms, *value);
  };
  if (left_number != nullptr) {
    for (const auto& [at_ms, value] : values_in(right)) add(at_ms, *left_number, value);
  } else if (right_number != nullptr) {
    for (const auto& [at_ms, value] : values_in(left)) add(at_ms, value, *right_number);
  } else {
    const Values& others = values_in(right);
    auto other = others.begin();
    for (const auto& [at_ms, value] : values_in(left)) {
      while (other != others.end() && other->first < at_ms) ++other;
      if (other != others.end() && other->first == at_ms) add(at_ms, value, other->second);
    }
  }
  return values;
}

class MathRun {
 public:
  MathRun(FunctionRef<MathInput(const std::string& id)> find, int64_t from_ms, int64_t to_ms)
      : find_(find), from_ms_(from_ms), to_ms_(to_ms) {}

  Value run(const Node& node) const {
    switch (node.kind) {
      case Kind::kNumber:
        return node.number;
      case Kind::kId:
        return find_(node.id).values;
      case Kind::kPeriod:
        return static_cast<double>(find_(node.id).period_s);
      case Kind::kFill:
        return filled(find_(node.id), node.right->number);
      case Kind::kNegative:
        return combined('-', Value(0.0), run(*node.left));
      case Kind::kOperator:
        break;
    }
    return combined(node.sign, run(*node.left), run(*node.right));
  }

 private:
  Value filled(const MathInput& input, double number) const {
    constexpr int64_t kMsPerSecond = 1'000;
    Values values;
    auto known = input.values->begin();
    const auto add_known = [&](int64_t before_ms) {
      for (; known != input.values->end() && known->first < before_ms; ++known) values.push_back(*known);
    };
    for (int64_t at_ms = from_ms_; at_ms < to_ms_; at_ms += input.period_s * kMsPerSecond) {
      add_known(at_ms + 1);
      if (values.empty() || values.back().first != at_ms) values.emplace_back(at_ms, number);
    }
    add_known(INT64_MAX);
    return values;
  }

  FunctionRef<MathInput(const std::string& id)> find_;
  const int64_t from_ms_;
  const int64_t to_ms_;
};

}  // namespace

Result<Expression> Expression::parse(std::string_view text) {
  PARTITA_TRY(NodeRef root, MathParser(text).parse());
  return Expression(std::string(text), std::move(root));
}

Expression::Expression(std::string text, std::shared_ptr<const Node> root)
    : text_(std::move(text)), root_(std::move(root)) {
  std::set<std::string_view> seen;
  const auto use = [&](const Node& node) {
    ++size_;
    if (!node.id.empty() && seen.insert(node.id).second) ids_.push_back(node.id);
  };
  for_each_node(*root_, use);
}

Result<Values> Expression::evaluate(FunctionRef<MathInput(const std::string& id)> find, int64_t from_ms,
                                    int64_t to_ms) const {
  Value value = MathRun(find, from_ms, to_ms).run(*root_);
  if (number_of(value) != nullptr) return bad(text_, "The result is a number and no time series.");
  if (auto* const computed = std::get_if<Values>(&value)) return std::move(*computed);
  return values_in(value);
}

}  // namespace partita::cloudwatch
