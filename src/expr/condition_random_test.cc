// Generated conditions over generated items: our parser and evaluator against a second evaluator that walks the
// generator's own tree, written to be simple.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "expr/condition.h"
#include "expr/test_support.h"

namespace partita::expr {
namespace {

using namespace test;
using model::Type;

struct Tree {
  std::string op;  // "AND", "OR", "NOT", a comparator, "BETWEEN", "IN", or a function's name
  std::vector<Tree> children;
  std::vector<std::string> operands;  // attribute names, ":v0" and so on, or "size(x)"
};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {
    for (const char* name : {"ka", "kb", "kc"}) {
      if (pick(4) > 0) item_.set(name, value(2));
    }
    for (int i = 0; i < 5; ++i) values_.set(":v" + std::to_string(i), value(2));
  }

  Tree tree(int depth) {
    const int kind = depth == 0 ? 3 + pick(4) : pick(7);
    if (kind == 0) return {"NOT", {tree(depth - 1)}, {}};
    if (kind <= 2) return {kind == 1 ? "AND" : "OR", {tree(depth - 1), tree(depth - 1)}, {}};
    if (kind == 3) return {"BETWEEN", {}, {operand(), operand(), operand()}};
    if (kind == 4) return {"IN", {}, {operand(), operand(), operand()}};
    if (kind == 5) return function();
    const char* const comparators[] = {"=", "<>", "<", "<=", ">", ">="};
    return {comparators[pick(6)], {}, {operand(), operand()}};
  }

  const Item& item() const { return item_; }
  const AttributeMap& values() const { return values_; }

 private:
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  Tree function() {
    const char* const names[] = {"attribute_exists", "attribute_not_exists", "begins_with", "contains"};
    const int which = pick(4);
    if (which < 2) return {names[which], {}, {name()}};
    return {names[which], {}, {operand(), operand()}};
  }

  std::string name() { return std::string("k") + static_cast<char>('a' + pick(4)); }

  std::string operand() {
    const int kind = pick(8);
    if (kind == 0) return "size(" + name() + ")";
    return kind < 4 ? ":v" + std::to_string(pick(5)) : name();
  }

  AttributeValue value(int depth) {
    switch (pick(depth > 0 ? 10 : 6)) {
      case 0:
      case 1:
        return n(pick(4) - 1);
      case 2:
        return s(std::string(static_cast<size_t>(pick(3)), static_cast<char>('x' + pick(2))));
      case 3:
        return b(pick(2) == 0 ? "x" : "\xff");
      case 4:
        return AttributeValue::boolean(pick(2) == 0);
      case 5:
        return AttributeValue::null();
      case 6:
        return ss(pick(2) == 0 ? std::vector<std::string>{"x"} : std::vector<std::string>{"xx", "x"});
      case 7:
        return ns({pick(3), 3 + pick(2)});
      case 8:
        return l({value(depth - 1), value(depth - 1)});
      default:
        return m({{"m", value(depth - 1)}});
    }
  }

  std::mt19937 random_;
  Item item_;
  AttributeMap values_;
};

// Parentheses around every composite child, and only there, so that none is redundant.
std::string write(const Tree& tree) {
  const auto child = [](const Tree& inner) { return inner.children.empty() ? write(inner) : "(" + write(inner) + ")"; };
  if (tree.op == "NOT") return "NOT " + child(tree.children[0]);
  if (!tree.children.empty()) return child(tree.children[0]) + " " + tree.op + " " + child(tree.children[1]);
  const auto& o = tree.operands;
  if (tree.op == "BETWEEN") return o[0] + " BETWEEN " + o[1] + " AND " + o[2];
  if (tree.op == "IN") return o[0] + " IN (" + o[1] + ", " + o[2] + ")";
  if (std::isalpha(tree.op[0]) != 0) return tree.op + "(" + o[0] + (o.size() > 1 ? ", " + o[1] : "") + ")";
  return o[0] + tree.op + o[1];
}

class Reference {
 public:
  Reference(const Item& item, const AttributeMap& values) : item_(item), values_(values) {}

  bool holds(const Tree& tree) const {
    if (tree.op == "NOT") return !holds(tree.children[0]);
    if (tree.op == "AND") return holds(tree.children[0]) && holds(tree.children[1]);
    if (tree.op == "OR") return holds(tree.children[0]) || holds(tree.children[1]);
    std::vector<std::optional<AttributeValue>> o;
    for (const std::string& operand : tree.operands) o.push_back(get(operand));
    if (tree.op == "attribute_exists") return o[0].has_value();
    if (tree.op == "attribute_not_exists") return !o[0].has_value();
    if (tree.op == "<>") return !(o[0] && o[1] && *o[0] == *o[1]);
    if (tree.op == "IN") return o[0] && ((o[1] && *o[0] == *o[1]) || (o[2] && *o[0] == *o[2]));
    if (tree.op == "BETWEEN") return ordered(o[1], o[0], true) && ordered(o[0], o[2], true);
    if (tree.op == "=") return o[0] && o[1] && *o[0] == *o[1];
    if (tree.op == "<") return ordered(o[0], o[1], false);
    if (tree.op == "<=") return ordered(o[0], o[1], true);
    if (tree.op == ">") return ordered(o[1], o[0], false);
    if (tree.op == ">=") return ordered(o[1], o[0], true);
    return o[0] && o[1] && (tree.op == "contains" ? contains(*o[0], *o[1]) : begins(*o[0], *o[1]));
  }

 private:
  using Maybe = std::optional<AttributeValue>;

  Maybe get(const std::string& operand) const {
    if (operand.starts_with("size(")) return size(get(operand.substr(5, operand.size() - 6)));
    const AttributeValue* found = (operand[0] == ':' ? values_ : item_).find(operand);
    return found != nullptr ? Maybe(*found) : std::nullopt;
  }

  static Maybe size(const Maybe& value) {
    if (!value) return std::nullopt;
    size_t count = 0;
    if (value->is(Type::kS) || value->is(Type::kB))
      count = value->as_bytes().size();
    else if (value->is(Type::kL))
      count = value->as_list().size();
    else if (value->is(Type::kM))
      count = value->as_map().size();
    else if (value->is(Type::kSS))
      count = value->as_string_set().size();
    else if (value->is(Type::kNS))
      count = value->as_number_set().size();
    else
      return std::nullopt;
    return n(static_cast<int>(count));
  }

  static bool ordered(const Maybe& a, const Maybe& b, bool or_equal) {
    if (!a || !b || a->type() != b->type()) return false;
    if (or_equal && *a == *b) return a->is(Type::kS) || a->is(Type::kN) || a->is(Type::kB);
    if (a->is(Type::kN)) return a->as_number().to_double() < b->as_number().to_double();
    if (!a->is(Type::kS) && !a->is(Type::kB)) return false;
    return std::ranges::lexicographical_compare(a->as_bytes(), b->as_bytes(), [](char x, char y) {
      return static_cast<unsigned char>(x) < static_cast<unsigned char>(y);
    });
  }

  static bool begins(const AttributeValue& a, const AttributeValue& b) {
    if (a.type() != b.type() || (!a.is(Type::kS) && !a.is(Type::kB))) return false;
    return a.as_bytes().substr(0, b.as_bytes().size()) == b.as_bytes();
  }

  static bool contains(const AttributeValue& a, const AttributeValue& b) {
    if (a.is(Type::kL)) return std::ranges::count(a.as_list(), b) > 0;
    if (a.is(Type::kSS)) return b.is(Type::kS) && std::ranges::count(a.as_string_set(), b.as_string()) > 0;
    if (a.is(Type::kNS)) return b.is(Type::kN) && std::ranges::count(a.as_number_set(), b.as_number()) > 0;
    if (a.type() != b.type() || (!a.is(Type::kS) && !a.is(Type::kB))) return false;
    return a.as_bytes().find(b.as_bytes()) != std::string::npos;
  }

  const Item& item_;
  const AttributeMap& values_;
};

TEST(RandomConditions, AgreeWithTheReference) {
  int accepted = 0;
  int held = 0;
  for (uint32_t seed = 0; seed < 20000; ++seed) {
    Generator generator(seed);
    const Tree tree = generator.tree(static_cast<int>(seed % 5));
    const std::string text = write(tree);
    auto placeholders = Placeholders::make(std::nullopt, generator.values());
    const auto condition = parse_condition(text, ExpressionKind::kFilter, *placeholders);
    if (!condition.ok()) {
      // The generator makes types and operands that are refused; never broken text.
      ASSERT_EQ(outcome(condition).find("Syntax error"), std::string::npos) << text;
      ASSERT_EQ(outcome(condition).find("parentheses"), std::string::npos) << text;
      continue;
    }
    ++accepted;
    const bool expected = Reference(generator.item(), generator.values()).holds(tree);
    held += expected ? 1 : 0;
    ASSERT_EQ(evaluate(*condition, generator.item()), expected) << "seed " << seed << ": " << text;
  }
  EXPECT_GT(accepted, 5000);
  EXPECT_GT(held, 1000);
}

// Any bytes are read to an end, and what is refused says why.
TEST(RandomConditions, SurviveNoise) {
  std::mt19937 random(7);
  const std::vector<std::string> words = {"a",         "b.c",
                                          "#n",        ":v",
                                          "(",         ")",
                                          "[",         "]",
                                          "0",         "17",
                                          ",",         "=",
                                          "<>",        "<",
                                          "AND",       "OR",
                                          "NOT",       "IN",
                                          "BETWEEN",   "SET",
                                          "REMOVE",    "ADD",
                                          "DELETE",    "size(",
                                          "contains(", "if_not_exists(",
                                          "+",         "-",
                                          ".",         "\xff"};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const size_t count = random() % 24;
    for (size_t i = 0; i < count; ++i) text += words[random() % words.size()] + (random() % 3 == 0 ? "" : " ");
    Placeholders placeholders = given({{"#n", "name"}}, {{":v", n(1)}});
    const auto condition = parse_condition(text, ExpressionKind::kFilter, placeholders);
    if (condition.ok()) (void)evaluate(*condition, attributes({{"a", n(1)}}));
  }
}

}  // namespace
}  // namespace partita::expr
