#include "wire/dax/expression.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "expr/key_condition.h"
#include "expr/placeholders.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "wire/cbor.h"
#include "wire/dax/value.h"
#include "wire/error_body.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {
namespace {

using expr::ExpressionKind;
using model::AttributeValue;
using model::Fault;
using model::Number;

// --- parsed expressions as texts that are equal if and only if they are ---

std::string dump(const expr::Path& path) { return expr::describe(path); }

std::string dump(const expr::ValuePtr& value) {
  model::Item item;
  item.set("", *value);
  return model::encode_item(item);
}

std::string dump(const expr::ConditionNode& node) {
  std::string out = "(" + std::to_string(static_cast<int>(node.op));
  for (const expr::Operand& operand : node.operands) {
    out += operand.size ? " size " : " ";
    out += operand.value != nullptr ? dump(operand.value) : dump(operand.path);
  }
  for (const expr::ConditionNode& child : node.children) out += dump(child);
  return out + ")";
}

std::string dump(const expr::UpdateValue& value) {
  std::string out = "(" + std::to_string(static_cast<int>(value.kind));
  if (value.constant != nullptr) out += dump(value.constant);
  if (value.kind == expr::UpdateValue::Kind::kPath) out += dump(value.path);
  for (const expr::UpdateValue& argument : value.arguments) out += dump(argument);
  return out + ")";
}

std::string dump(const expr::Condition& condition) { return dump(condition.root()); }

std::string dump(const expr::Update& update) {
  std::string out;
  for (const expr::UpdateAction& action : update.actions()) {
    out += std::to_string(static_cast<int>(action.kind)) + dump(action.path) + dump(action.value);
  }
  return out;
}

std::string dump(const expr::Projection& projection) {
  std::string out;
  for (const expr::Path& path : projection.paths()) out += dump(path);
  return out;
}

template <class Parsed>
std::string outcome(const Result<Parsed>& result) {
  return result.ok() ? dump(*result) : message_of(result.error());
}

// --- one tree, as text and as bytes ---

constexpr int kNot = 8;
constexpr int kBetween = 9;
constexpr int kIn = 10;
constexpr int kExists = 11;
constexpr int kSize = 16;
constexpr int kVariable = 17;
constexpr int kPath = 18;
constexpr int kSet = 19;
constexpr int kRemove = 22;
constexpr int kPlus = 25;

constexpr const char* kWords[] = {
    "=", "<>", "<", ">=", ">", "<=", "AND", "OR", "NOT", "BETWEEN", "IN", "attribute_exists", "attribute_not_exists",
    "attribute_type", "begins_with", "contains", "size", "", "", "SET", "ADD", "DELETE", "REMOVE", "if_not_exists",
    "list_append", "+", "-"};

struct Tree {
  int code = kPath;
  std::vector<Tree> parts;
  int64_t index = 0;                       // of a variable
  std::vector<std::string> path;           // as in the text: "a", ".b", "[7]"
};

bool is_junction(const Tree& tree) { return tree.code == 6 || tree.code == 7; }

std::string text_of(const Tree& tree);

std::string list_of(const std::vector<Tree>& trees, size_t from = 0) {
  std::string out;
  for (size_t i = from; i < trees.size(); ++i) out += (i > from ? "," : "") + text_of(trees[i]);
  return out;
}

std::string enclosed(const Tree& tree, bool needed) {
  return needed ? "(" + text_of(tree) + ")" : text_of(tree);
}

std::string text_of(const Tree& tree) {
  const std::string word = kWords[tree.code];
  const auto& parts = tree.parts;
  switch (tree.code) {
    case kVariable:
      return ":v" + std::to_string(tree.index);
    case kPath: {
      std::string out;
      for (const std::string& step : tree.path) out += step;
      return out;
    }
    case 6:
    case 7:
      return enclosed(parts[0], is_junction(parts[0]) && parts[0].code != tree.code) + " " + word + " " +
             enclosed(parts[1], is_junction(parts[1]));
    case kNot:
      return "NOT " + enclosed(parts[0], is_junction(parts[0]));
    case kBetween:
      return text_of(parts[0]) + " BETWEEN " + text_of(parts[1]) + " AND " + text_of(parts[2]);
    case kIn:
      return text_of(parts[0]) + " IN(" + list_of(parts, 1) + ")";
    case kSet:
      return text_of(parts[0]) + "=" + text_of(parts[1]);
    case kRemove:
      return text_of(parts[0]);
    case kSet + 1:
    case kSet + 2:
      return text_of(parts[0]) + " " + text_of(parts[1]);
    default:
      if (tree.code >= kPlus || tree.code < 6) return text_of(parts[0]) + word + text_of(parts[1]);
      return word + "(" + list_of(parts) + ")";
  }
}

void write(CborWriter& out, const Tree& tree) {
  if (tree.code == kVariable) {
    out.array(2);
    out.integer(kVariable);
    out.integer(tree.index);
    return;
  }
  if (tree.code == kPath) {
    out.array(1 + tree.path.size());
    out.integer(kPath);
    for (const std::string& step : tree.path) {
      if (step[0] == '[') {
        out.tag(kOrdinalTag);
        out.integer(std::stoll(step.substr(1)));
      } else {
        out.text(step[0] == '.' ? step.substr(1) : step);
      }
    }
    return;
  }
  const bool in = tree.code == kIn;
  out.array(in ? 3 : 1 + tree.parts.size());
  out.integer(tree.code);
  for (size_t i = 0; i < tree.parts.size(); ++i) {
    if (in && i == 1) out.array(tree.parts.size() - 1);
    write(out, tree.parts[i]);
  }
}

const std::vector<AttributeValue>& values() {
  static const std::vector<AttributeValue> kAll = {
      AttributeValue::string("a"),
      AttributeValue::string("SS"),
      AttributeValue::number(Number::of(1)),
      AttributeValue::number(Number::of(2)),
      AttributeValue::binary("\x01"),
      AttributeValue::boolean(true),
      AttributeValue::null(),
      AttributeValue::list({AttributeValue::string("a")}),
      AttributeValue::map({}),
      AttributeValue::string_set({"a", "b"}),
      AttributeValue::number_set({Number::of(1)}),
  };
  return kAll;
}

std::string bytes_of(const std::vector<Tree>& trees, bool list, bool with_values = true) {
  CborWriter out;
  out.array(with_values ? 3 : 2);
  out.integer(1);
  if (list) out.array(trees.size());
  for (const Tree& tree : trees) write(out, tree);
  if (!with_values) return std::move(out).take();
  out.array(values().size());
  for (const AttributeValue& value : values()) write_value(out, value);
  return std::move(out).take();
}

expr::Placeholders given() {
  model::AttributeMap map;
  for (size_t i = 0; i < values().size(); ++i) map.set(":v" + std::to_string(i), values()[i]);
  return expr::Placeholders::make(std::nullopt, std::move(map)).value();
}

std::string update_text(const std::vector<Tree>& actions) {
  std::string out;
  for (size_t i = 0; i < actions.size(); ++i) {
    const bool continued = i > 0 && actions[i - 1].code == actions[i].code;
    out += continued ? "," : std::string(" ") + kWords[actions[i].code] + " ";
    out += text_of(actions[i]);
  }
  return out;
}

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  Tree path() {
    Tree tree;
    tree.path.push_back(std::string("k") + static_cast<char>('a' + pick(4)));
    const int steps = pick(40) == 0 ? 32 : pick(3);
    for (int i = 0; i < steps; ++i) {
      if (pick(3) == 0) {
        tree.path.push_back(pick(30) == 0 ? "[2147483648]" : "[" + std::to_string(pick(3)) + "]");
      } else {
        tree.path.push_back(std::string(".k") + static_cast<char>('a' + pick(3)));
      }
    }
    return tree;
  }
  Tree variable() { return {kVariable, {}, pick(static_cast<int>(values().size())), {}}; }

  Tree operand() {
    const int kind = pick(24);
    if (kind == 0) return function();
    if (kind == 1) return {pick(2) == 0 ? 23 : 24, {operand(), operand()}, 0, {}};
    if (kind < 5) return {kSize, {pick(8) == 0 ? operand() : path()}, 0, {}};
    return kind < 14 ? path() : variable();
  }

  Tree function() {
    const int code = kExists + pick(5);
    return {code, many(code < kExists + 2 ? 1 : 2), 0, {}};
  }

  Tree condition(int depth) {
    const int kind = depth == 0 ? 3 + pick(5) : pick(8);
    if (kind == 0) return {kNot, {condition(depth - 1)}, 0, {}};
    if (kind <= 2) return {5 + kind, {condition(depth - 1), condition(depth - 1)}, 0, {}};
    if (kind == 3) return {kBetween, many(3), 0, {}};
    if (kind == 4) return {kIn, many(pick(40) == 0 ? 103 : 2 + pick(3)), 0, {}};
    if (kind == 5 && pick(20) == 0) return {kSize, {path()}, 0, {}};
    if (kind == 5) return function();
    return {pick(6), many(2), 0, {}};
  }

  // What a key condition may have, mostly.
  Tree key_term() {
    Tree name = path();
    if (pick(8) > 0) name.path.resize(1);
    return {pick(6), {std::move(name), variable()}, 0, {}};
  }

  Tree update_operand(int depth) {
    const int kind = pick(depth == 0 ? 2 : 6);
    if (kind == 0) return path();
    if (kind <= 2) return variable();
    if (kind == 5 && pick(10) == 0) return {kExists + pick(6), {update_operand(depth - 1)}, 0, {}};
    return {23 + pick(2), {update_operand(depth - 1), update_operand(depth - 1)}, 0, {}};
  }

  Tree action(int code) {
    if (code == kRemove) return {code, {path()}, 0, {}};
    if (code != kSet) return {code, {path(), variable()}, 0, {}};
    if (pick(3) > 0) return {code, {path(), update_operand(2)}, 0, {}};
    return {code, {path(), {kPlus + pick(2), {update_operand(1), update_operand(1)}, 0, {}}}, 0, {}};
  }

  std::vector<Tree> update() {
    std::vector<Tree> actions;
    int code = kSet + pick(4);
    for (int i = 1 + pick(4); i > 0; --i) {
      actions.push_back(action(code));
      if (pick(3) == 0) code = kSet + pick(4);
    }
    return actions;
  }

  std::vector<Tree> paths() {
    std::vector<Tree> all;
    for (int i = 1 + pick(4); i > 0; --i) all.push_back(path());
    return all;
  }

 private:
  std::vector<Tree> many(int count) {
    std::vector<Tree> all;
    for (int i = 0; i < count; ++i) all.push_back(operand());
    return all;
  }

  std::mt19937 random_;
};

constexpr uint32_t kRounds = 4000;

// Counts the rounds in which both refused, so that the test cannot pass by refusing all.
template <class Round>
void expect_same(Round round) {
  size_t refused = 0;
  for (uint32_t seed = 0; seed < kRounds; ++seed) {
    Generator generator(seed);
    if (!round(generator)) ++refused;
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "seed " << seed;
      return;
    }
  }
  EXPECT_GT(refused, kRounds / 20);
  EXPECT_LT(refused, kRounds * 19 / 20);
}

TEST(DaxExpression, ConditionsAreThoseOfTheText) {
  expect_same([](Generator& generator) {
    const Tree tree = generator.condition(3);
    expr::Placeholders placeholders = given();
    const auto parsed = expr::parse_condition(text_of(tree), ExpressionKind::kFilter, placeholders);
    const auto read = read_condition(bytes_of({tree}, false), ExpressionKind::kFilter);
    EXPECT_EQ(outcome(parsed), outcome(read)) << text_of(tree);
    return read.ok();
  });
}

TEST(DaxExpression, UpdatesAreThoseOfTheText) {
  expect_same([](Generator& generator) {
    const std::vector<Tree> actions = generator.update();
    expr::Placeholders placeholders = given();
    const auto parsed = expr::parse_update(update_text(actions), placeholders);
    const auto read = read_update(bytes_of(actions, true));
    EXPECT_EQ(outcome(parsed), outcome(read)) << update_text(actions);
    return read.ok();
  });
}

TEST(DaxExpression, ProjectionsAreThoseOfTheText) {
  expect_same([](Generator& generator) {
    const std::vector<Tree> paths = generator.paths();
    expr::Placeholders placeholders = given();
    const auto parsed = expr::parse_projection(list_of(paths), placeholders);
    const auto read = read_projection(bytes_of(paths, true, false));
    EXPECT_EQ(outcome(parsed), outcome(read)) << list_of(paths);
    return read.ok();
  });
}

TEST(DaxExpression, KeyConditionsAreThoseOfTheText) {
  expect_same([](Generator& generator) {
    Tree tree = generator.pick(2) == 0 ? generator.condition(0) : generator.key_term();
    if (generator.pick(2) == 0) tree = {6, {generator.key_term(), std::move(tree)}, 0, {}};
    expr::Placeholders placeholders = given();
    const auto check = [](Result<expr::Condition> condition) -> Result<expr::Condition> {
      if (condition.ok()) PARTITA_TRY_VOID(expr::check_key_condition(*condition));
      return condition;
    };
    const auto parsed = check(expr::parse_key_condition(text_of(tree), placeholders));
    const auto read = check(read_condition(bytes_of({tree}, false), ExpressionKind::kKeyCondition));
    EXPECT_EQ(outcome(parsed), outcome(read)) << text_of(tree);
    return read.ok();
  });
}

TEST(DaxExpression, ReadsWhatClientsSend) {
  model::AttributeMap map;
  map.set(":p", AttributeValue::string("g"));
  map.set(":z", AttributeValue::number(Number::of(-10)));
  map.set(":i", AttributeValue::number(Number::of(1)));
  expr::Placeholders placeholders = expr::Placeholders::make(std::nullopt, std::move(map)).value();
  const std::string keys = from_hex("83018306830082" "1262706b" "821100830482" "1262736b" "821101" "82616729");
  EXPECT_EQ(outcome(read_condition(keys, ExpressionKind::kKeyCondition)),
            outcome(expr::parse_key_condition("pk = :p AND sk > :z", placeholders)));
  const std::string update = from_hex("83018183138212617683181982" "126176" "821100" "8101");
  // Its codes are those of the table: 0x18 0x19 is 25.
  EXPECT_EQ(outcome(read_update(update)), outcome(expr::parse_update("SET v = v + :i", placeholders)));
  const auto projection = read_projection(from_hex("8201828212617882" "12616e"));
  ASSERT_TRUE(projection.ok());
  ASSERT_EQ(projection->columns().size(), 2u);
  EXPECT_EQ(projection->columns()[0].name, "0");
  EXPECT_EQ(projection->columns()[0].path.attribute, "x");
  EXPECT_EQ(projection->columns()[1].name, "1");
  EXPECT_EQ(projection->columns()[1].path.attribute, "n");
}

Tree comparison() { return {0, {{kPath, {}, 0, {"ka"}}, {kVariable, {}, 0, {}}}, 0, {}}; }

TEST(DaxExpression, BoundsOperatorsAndDepth) {
  Tree negated = comparison();
  Tree left = comparison();
  Tree right = comparison();
  for (int operators = 1; operators <= 310; ++operators) {
    const auto negation = read_condition(bytes_of({negated}, false), ExpressionKind::kCondition);
    EXPECT_EQ(negation.ok(), operators <= 300) << operators;
    if (operators % 2 == 1) {
      EXPECT_EQ(read_condition(bytes_of({left}, false), ExpressionKind::kCondition).ok(), operators <= 300);
      EXPECT_EQ(read_condition(bytes_of({right}, false), ExpressionKind::kCondition).ok(), operators <= 300);
      left = {6, {std::move(left), comparison()}, 0, {}};
      right = {7, {comparison(), std::move(right)}, 0, {}};
    }
    negated = {kNot, {std::move(negated)}, 0, {}};
  }
  // However deep, it is refused before the stack is.
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "\x82\x08";
  const auto refused = read_condition("\x83\x01" + deep + "\xf6\x80", ExpressionKind::kCondition);
  EXPECT_EQ(model::fault_of(refused.error()), Fault::kExpressionTooManyOperators);
  std::string functions;
  for (int i = 0; i < 1'000'000; ++i) functions += from_hex("831818821100");
  const auto update = read_update(from_hex("8301818313821261" "61") + functions + from_hex("82110081f6"));
  EXPECT_EQ(model::fault_of(update.error()), Fault::kExpressionTooManyOperators);
}

TEST(DaxExpression, BoundsPathsAndValues) {
  std::vector<Tree> paths;
  for (int i = 0; i < 2049; ++i) paths.push_back({kPath, {}, 0, {"k" + std::to_string(i)}});
  EXPECT_EQ(model::fault_of(read_projection(bytes_of(paths, true, false)).error()), Fault::kExpressionTooLong);
  paths.pop_back();
  EXPECT_TRUE(read_projection(bytes_of(paths, true, false)).ok());
  // attribute_exists(a) with a list of nulls as its value, which have two bytes each.
  const std::string nulls = from_hex("8301820b8212616181" "9a00300000") + std::string(3 << 20, '\xf6');
  const auto large = read_condition(nulls, ExpressionKind::kCondition);
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(model::fault_of(large.error()), Fault::kValuesTooLarge);
}

TEST(DaxExpression, RefusesWhatNoTextHas) {
  const auto fault = [](std::string_view hex) {
    const auto read = read_condition(from_hex(hex), ExpressionKind::kCondition);
    return read.ok() ? Fault::kCount : model::fault_of(read.error());
  };
  EXPECT_EQ(fault("8301" "820b8212616b" "80"), Fault::kCount);
  for (const char* bad : {
           "",                                  // nothing
           "8301820b8212616b",                  // no values
           "8201820b8212616b",                  // of a projection
           "8301820b8212616b8000",              // more behind it
           "83018200" "8212616b" "80",          // one operand
           "8301830b8212616b8212616c80",        // two
           "830183188012616b80",                // no node
           "8301830082126161821100" "80",       // no such value
           "83018300821261618211208100",        // a negative one
           "8301820b811280",                    // a path without elements
           "8301820b8212d90cfc0080",            // that begins with a position
           "8301820b8312616b0080",              // a position without its tag
           "8301820b8212" "61ff" "80",          // no UTF-8
           "8301820b9f12616bff80",              // of indefinite length
           "83018300821261618300821261628211008101",  // a comparison as an operand
           "8301821100" "8101",                 // an operand as a condition
           "83018213" "8212616b" "80",          // an action as a condition
           "8301830a8212616b8080",              // IN nothing
       }) {
    EXPECT_EQ(fault(bad), Fault::kDaxMalformed) << bad;
  }
  EXPECT_EQ(fault("8302820b8212616b80"), Fault::kDaxUnsupported);
  EXPECT_EQ(fault("8301820b82126080"), Fault::kEmptyAttributeName);
  EXPECT_EQ(model::fault_of(read_update(from_hex("83018080")).error()), Fault::kExpressionEmpty);
  EXPECT_EQ(model::fault_of(read_projection(from_hex("820180")).error()), Fault::kExpressionEmpty);
  // Arithmetic in arithmetic, and in a function.
  EXPECT_FALSE(read_update(from_hex("830181831382126176" "831819" "8318198211008211008211008101")).ok());
}

TEST(DaxExpression, HasOneCanonicalFormForEqualValues) {
  const auto canonical = [](std::string_view hex) {
    std::string out;
    EXPECT_TRUE(read_condition(from_hex(hex), ExpressionKind::kCondition, nullptr, Nesting::kAlone, &out).ok());
    return out;
  };
  const std::string one = canonical("8301" "8300821261" "61821100" "81a2616101616202");
  EXPECT_EQ(one, canonical("8301" "8300821261" "61821100" "81a2616202616101"));
  EXPECT_NE(one, canonical("8301" "8300821261" "61821100" "81a2616201616102"));
  EXPECT_NE(one, canonical("8301" "8300821261" "62821100" "81a2616101616202"));
}

}  // namespace
}  // namespace partita::wire::dax
