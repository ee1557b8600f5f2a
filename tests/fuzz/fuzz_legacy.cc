// The parameters from before expressions: several conditions or updates at once must do what each of them does alone.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "build_value.h"
#include "expr/legacy.h"
#include "input.h"

namespace partita::fuzz {
namespace {

using expr::Condition;
using expr::LegacyCondition;
using expr::LegacyJoin;
using expr::LegacyOp;
using expr::LegacyUpdate;
using model::AttributeValue;
using model::Item;
using model::Type;
using Conditions = std::vector<LegacyCondition>;

constexpr std::array<const char*, 4> kAttributes = {"a", "b", "p", "s"};
constexpr int kLevels = 2;

// One of the few values that the item has too, or a new one.
AttributeValue read_value(Input& in, const Item& item) {
  const size_t choice = in.choice(kAttributes.size() + 4);
  if (choice < kAttributes.size()) {
    if (const AttributeValue* value = item.find(kAttributes[choice])) return *value;
  }
  return build_value(in, kLevels);
}

Conditions read_conditions(Input& in, const Item& item) {
  Conditions conditions;
  for (size_t count = in.choice(4); count > 0; --count) {
    LegacyCondition condition;
    condition.attribute = kAttributes[in.choice(kAttributes.size())];
    const uint8_t members = in.byte();
    if ((members & 1) == 0) condition.op = static_cast<LegacyOp>(in.choice(13));
    if ((members & 2) == 0) {
      condition.values.emplace();
      for (size_t values = in.choice(4); values > 0; --values) condition.values->push_back(read_value(in, item));
    }
    if ((members & 12) == 12) condition.value = read_value(in, item);
    if ((members & 48) == 48) condition.exists = in.flag();
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

template <class Lower>
void check_conditions(const Conditions& conditions, const Item& item, Lower lower) {
  const Result<Condition> all = lower(conditions, LegacyJoin::kAnd);
  const Result<Condition> any = lower(conditions, LegacyJoin::kOr);
  PARTITA_CHECK(all.ok() == any.ok());
  bool each_ok = true;
  bool meets_all = true;
  bool meets_any = conditions.empty();
  for (auto entry = conditions.begin(); entry != conditions.end(); ++entry) {
    const LegacyCondition& one = *entry;
    const auto names_it_too = [&](const LegacyCondition& later) { return later.attribute == one.attribute; };
    if (std::any_of(entry + 1, conditions.end(), names_it_too)) continue;  // the last one counts
    const Result<Condition> alone = lower({one}, LegacyJoin::kAnd);
    each_ok = each_ok && alone.ok();
    if (!alone.ok()) continue;
    const bool met = expr::evaluate(alone.value(), item);
    meets_all = meets_all && met;
    meets_any = meets_any || met;
  }
  PARTITA_CHECK(all.ok() == each_ok);
  if (!all.ok()) return;
  PARTITA_CHECK(expr::evaluate(all.value(), item) == meets_all);
  PARTITA_CHECK(expr::evaluate(any.value(), item) == meets_any);
}

void check_key_conditions(const Conditions& conditions) {
  const Result<Condition> condition = expr::lower_key_conditions(conditions);
  if (!condition.ok()) return;
  for (const Type type : {Type::kS, Type::kN, Type::kB}) {
    const Result<expr::KeyRange> range = expr::resolve(condition.value(), {{{"p", type}}, {{"s", type}}});
    if (range.ok()) PARTITA_CHECK(range.value().partition.size() == 1);
  }
}

std::vector<LegacyUpdate> read_updates(Input& in, const Item& item) {
  std::vector<LegacyUpdate> updates;
  for (const char* attribute : kAttributes) {
    const uint8_t members = in.byte();
    if ((members & 1) != 0) continue;
    LegacyUpdate update;
    update.attribute = attribute;
    update.action = static_cast<expr::LegacyAction>((members >> 1) % 3);
    if ((members & 0x30) != 0x30) update.value = read_value(in, item);
    updates.push_back(std::move(update));
  }
  return updates;
}

// Each of them writes an attribute of its own, so that they may as well come one after the other.
void check_updates(const std::vector<LegacyUpdate>& updates, const Item& item) {
  const Result<expr::Update> all = expr::lower_attribute_updates(updates);
  if (!all.ok()) return;
  const Result<Item> at_once = expr::apply(all.value(), &item, Item());
  std::optional<Item> stepwise = item;
  for (const LegacyUpdate& one : updates) {
    const Result<expr::Update> update = expr::lower_attribute_updates({one});
    PARTITA_CHECK(update.ok());
    Result<Item> after = expr::apply(update.value(), &*stepwise, Item());
    if (!after.ok()) {
      stepwise.reset();
      break;
    }
    stepwise = std::move(after).value();
  }
  PARTITA_CHECK(at_once.ok() == stepwise.has_value());
  if (stepwise) PARTITA_CHECK(at_once.value() == *stepwise);
}

void check_attributes_to_get(Input& in, const Item& item) {
  std::vector<std::string> names;
  for (size_t count = in.choice(4); count > 0; --count) names.emplace_back(kAttributes[in.choice(kAttributes.size())]);
  const Result<expr::Projection> projection = expr::lower_attributes_to_get(names);
  if (!projection.ok()) return;
  const Item kept = expr::project(projection.value(), item);
  size_t expected = 0;
  for (const std::string& name : names) {
    const AttributeValue* value = item.find(name);
    if (value == nullptr) continue;
    ++expected;
    PARTITA_CHECK(kept.contains(name) && *kept.find(name) == *value);
  }
  PARTITA_CHECK(kept.size() == expected);
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  fuzz::Input in(data, size);
  model::Item item;
  for (const char* attribute : fuzz::kAttributes) {
    if (in.flag()) item.set(attribute, fuzz::build_value(in, fuzz::kLevels));
  }
  const fuzz::Conditions conditions = fuzz::read_conditions(in, item);
  fuzz::check_conditions(conditions, item, expr::lower_filter);
  fuzz::check_conditions(conditions, item, expr::lower_expected);
  fuzz::check_key_conditions(conditions);
  fuzz::check_updates(fuzz::read_updates(in, item), item);
  fuzz::check_attributes_to_get(in, item);
  return 0;
}
