#include "expr/update.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "expr/projection.h"
#include "model/fault.h"
#include "model/limits.h"
#include "model/size.h"

namespace partita::expr {
namespace {

using model::AttributeValue;
using model::Fault;
using model::Item;
using model::Number;
using model::Type;

using ActionKind = UpdateAction::Kind;
using ValueKind = UpdateValue::Kind;

Result<AttributeValue> compute(const UpdateValue& value, const Item& old);

Result<AttributeValue> compute_appended(const UpdateValue& value, const Item& old) {
  PARTITA_TRY(AttributeValue front, compute(value.arguments[0], old));
  PARTITA_TRY(AttributeValue back, compute(value.arguments[1], old));
  if (!front.is(Type::kL) || !back.is(Type::kL)) return model::refuse(Fault::kUpdateOperandType);
  std::ranges::move(back.as_list(), std::back_inserter(front.as_list()));
  return front;
}

Result<AttributeValue> compute_sum(const UpdateValue& value, const Item& old) {
  PARTITA_TRY(AttributeValue a, compute(value.arguments[0], old));
  PARTITA_TRY(AttributeValue b, compute(value.arguments[1], old));
  if (!a.is(Type::kN) || !b.is(Type::kN)) return model::refuse(Fault::kUpdateOperandType);
  const bool plus = value.kind == ValueKind::kPlus;
  PARTITA_TRY(Number sum, plus ? a.as_number().add(b.as_number()) : a.as_number().subtract(b.as_number()));
  return AttributeValue::number(sum);
}

// Depth is bounded by the number of functions that an expression may have.
Result<AttributeValue> compute(const UpdateValue& value, const Item& old) {
  switch (value.kind) {
    case ValueKind::kConstant:
      return *value.constant;
    case ValueKind::kPath: {
      const AttributeValue* found = find(old, value.path);
      if (found == nullptr) return model::refuse(Fault::kUpdateAttributeMissing);
      return *found;
    }
    case ValueKind::kIfNotExists: {
      const AttributeValue* found = find(old, value.arguments[0].path);
      if (found != nullptr) return *found;
      return compute(value.arguments[1], old);
    }
    case ValueKind::kListAppend:
      return compute_appended(value, old);
    case ValueKind::kPlus:
    case ValueKind::kMinus:
      return compute_sum(value, old);
  }
  return model::refuse(Fault::kUpdateOperandType);
}

template <class Member, class Combine>
std::vector<Member> combine_members(const std::vector<Member>& a, const std::vector<Member>& b, Combine combine) {
  std::vector<Member> out;
  combine(a, b, std::back_inserter(out));
  return out;
}

// Precondition: two sets of one type. `combine` is std::ranges::set_union or set_difference. Nothing when no member
// is left: there are no empty sets.
template <class Combine>
std::optional<AttributeValue> combine_sets(const AttributeValue& a, const AttributeValue& b, Combine combine) {
  if (a.is(Type::kSS)) {
    auto members = combine_members(a.as_string_set(), b.as_string_set(), combine);
    if (members.empty()) return std::nullopt;
    return AttributeValue::string_set(std::move(members));
  }
  if (a.is(Type::kNS)) {
    auto members = combine_members(a.as_number_set(), b.as_number_set(), combine);
    if (members.empty()) return std::nullopt;
    return AttributeValue::number_set(std::move(members));
  }
  auto members = combine_members(a.as_binary_set(), b.as_binary_set(), combine);
  if (members.empty()) return std::nullopt;
  return AttributeValue::binary_set(std::move(members));
}

Error wrong_type(const UpdateAction& action) {
  return model::refuse(action.legacy ? Fault::kUpdateTypeMismatch : Fault::kUpdateOperandType);
}

Result<AttributeValue> compute_add(const UpdateAction& action, const AttributeValue* existing) {
  const AttributeValue& operand = *action.value.constant;
  if (existing == nullptr) return operand;
  if (existing->type() != operand.type()) return wrong_type(action);
  if (operand.is(Type::kN)) {
    PARTITA_TRY(Number sum, existing->as_number().add(operand.as_number()));
    return AttributeValue::number(sum);
  }
  if (operand.is_set()) return *combine_sets(*existing, operand, std::ranges::set_union);
  if (!action.legacy || !operand.is(Type::kL)) return wrong_type(action);
  AttributeValue::List list = existing->as_list();
  list.insert(list.end(), operand.as_list().begin(), operand.as_list().end());
  return AttributeValue::list(std::move(list));
}

// What becomes of one path.
struct Write {
  const Path* path;
  std::optional<AttributeValue> value;  // nothing: it goes
  bool append = false;                  // it lies past the end of its list
};

bool before(const Write& a, const Write& b) {
  if (a.path->attribute != b.path->attribute) return a.path->attribute < b.path->attribute;
  return a.path->steps < b.path->steps;
}

AttributeValue* step_into(AttributeValue& value, const PathStep& step) {
  if (const auto* member = std::get_if<std::string>(&step)) return value.as_map().find(*member);
  return &value.as_list()[std::get<uint32_t>(step)];
}

// Applies the writes of one statement to an item. All paths were checked against the item as it was.
class Writer {
 public:
  explicit Writer(Item item) : item_(std::move(item)) {}

  Item finish(std::vector<Write> writes) {
    // Positions mean the list as it was: replace first, then append in the order of the positions, then remove from the
    // back, so that nothing moves before it was found.
    std::ranges::sort(writes, before);
    for (Write& write : writes) {
      if (write.value && !write.append) replace(write);
    }
    for (Write& write : writes) {
      if (write.value && write.append) parent(*write.path)->as_list().push_back(*std::move(write.value));
    }
    for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
      if (!write->value) remove(*write->path);
    }
    return std::move(item_);
  }

 private:
  // Precondition: the path has steps.
  AttributeValue* parent(const Path& path) {
    AttributeValue* value = item_.find(path.attribute);
    for (size_t i = 0; i + 1 < path.steps.size(); ++i) value = step_into(*value, path.steps[i]);
    return value;
  }

  void replace(Write& write) {
    const Path& path = *write.path;
    if (path.is_attribute()) {
      item_.set(path.attribute, *std::move(write.value));
    } else if (const auto* member = std::get_if<std::string>(&path.steps.back())) {
      parent(path)->as_map().set(*member, *std::move(write.value));
    } else {
      *step_into(*parent(path), path.steps.back()) = *std::move(write.value);
    }
  }

  void remove(const Path& path) {
    if (path.is_attribute()) {
      item_.erase(path.attribute);
    } else if (const auto* member = std::get_if<std::string>(&path.steps.back())) {
      parent(path)->as_map().erase(*member);
    } else {
      AttributeValue::List& list = parent(path)->as_list();
      const uint32_t position = std::get<uint32_t>(path.steps.back());
      if (position < list.size()) list.erase(list.begin() + position);
    }
  }

  Item item_;
};

// Whether the path can be written to at all: what it lies in is there, and of the right kind.
struct Place {
  bool valid = false;
  bool past_end = false;
};

Place place_of(const Path& path, const Item& old) {
  if (path.is_attribute()) return {true, false};
  const AttributeValue* container = find_container(old, path);
  if (container == nullptr) return {};
  if (std::holds_alternative<std::string>(path.steps.back())) return {container->is(Type::kM), false};
  if (!container->is(Type::kL)) return {};
  return {true, std::get<uint32_t>(path.steps.back()) >= container->as_list().size()};
}

Result<void> check_depth(const Path& path, const AttributeValue& value) {
  if (path.steps.size() + static_cast<size_t>(model::nesting_depth(value)) < model::kMaxNestingDepth) return {};
  return model::refuse(Fault::kNestingTooDeep);
}

// What DELETE leaves of an attribute, which may be nothing; no write when there is nothing to delete from.
Result<std::optional<Write>> compute_delete(const UpdateAction& action, const AttributeValue* existing) {
  if (existing == nullptr) return std::optional<Write>();
  const AttributeValue& operand = *action.value.constant;
  if (existing->type() != operand.type()) return wrong_type(action);
  return std::optional<Write>(Write{&action.path, combine_sets(*existing, operand, std::ranges::set_difference)});
}

// What a SET or an ADD writes.
Result<std::optional<Write>> compute_write(const UpdateAction& action, std::optional<AttributeValue> set_value,
                                           const Item& old, bool past_end) {
  Write write{&action.path, std::move(set_value), past_end};
  if (action.kind == ActionKind::kAdd) {
    PARTITA_TRY(write.value, compute_add(action, find(old, action.path)));
  }
  PARTITA_TRY_VOID(check_depth(action.path, *write.value));
  return std::optional<Write>(std::move(write));
}

Result<std::optional<Write>> prepare(const UpdateAction& action, std::optional<AttributeValue> set_value,
                                     const Item& old, bool exists) {
  const bool takes_away = action.kind == ActionKind::kRemove || action.kind == ActionKind::kDelete;
  const Place place = place_of(action.path, old);
  if (!place.valid) {
    if (takes_away && !exists) return std::optional<Write>();
    return model::refuse(Fault::kUpdatePathInvalid);
  }
  if (action.kind == ActionKind::kRemove) return std::optional<Write>(Write{&action.path, std::nullopt});
  if (action.kind == ActionKind::kDelete) return compute_delete(action, find(old, action.path));
  return compute_write(action, std::move(set_value), old, place.past_end);
}

size_t step_bytes(const PathStep& step) {
  const auto* name = std::get_if<std::string>(&step);
  return name != nullptr ? name->size() : std::to_string(std::get<uint32_t>(step)).size();
}

// A path that is written to.
size_t target_bytes(const Path& path) {
  constexpr size_t kStep = 4;
  size_t bytes = path.attribute.size();
  for (const PathStep& step : path.steps) bytes += kStep + step_bytes(step);
  return bytes;
}

// A path that is read.
size_t operand_bytes(const Path& path) {
  constexpr size_t kPath = 1;
  constexpr size_t kStep = 14;
  size_t bytes = kPath + kStep + path.attribute.size();
  for (const PathStep& step : path.steps) bytes += kStep + step_bytes(step);
  return bytes;
}

size_t value_bytes(const UpdateValue& value) {
  size_t bytes = 0;
  switch (value.kind) {
    case ValueKind::kConstant:
      return model::value_size(*value.constant);
    case ValueKind::kPath:
      return operand_bytes(value.path);
    case ValueKind::kPlus:
      bytes = 34;
      break;
    case ValueKind::kMinus:
    case ValueKind::kListAppend:
      bytes = 37;
      break;
    case ValueKind::kIfNotExists:
      bytes = 39;
      break;
  }
  for (const UpdateValue& argument : value.arguments) bytes += value_bytes(argument);
  return bytes;
}

void add_nested(const Path& path, std::vector<std::string>& names) {
  if (path.is_attribute() || std::ranges::find(names, path.attribute) != names.end()) return;
  names.push_back(path.attribute);
}

void add_nested(const UpdateValue& value, std::vector<std::string>& names) {
  if (value.kind == ValueKind::kPath) add_nested(value.path, names);
  for (const UpdateValue& argument : value.arguments) add_nested(argument, names);
}

}  // namespace

bool Update::creates_item() const {
  return actions_.empty() || std::ranges::any_of(actions_, [](const UpdateAction& action) {
           return action.kind == ActionKind::kSet || action.kind == ActionKind::kAdd;
         });
}

std::vector<std::string> Update::nested_attributes() const {
  std::vector<std::string> names;
  for (const UpdateAction& action : actions_) {
    add_nested(action.path, names);
    add_nested(action.value, names);
  }
  return names;
}

Result<void> check_no_key(const Update& update, const model::KeySchema& schema) {
  for (const UpdateAction& action : update.actions()) {
    if (schema.names(action.path.attribute)) return model::refuse(Fault::kUpdateOfKey, {action.path.attribute});
  }
  return {};
}

Result<Item> apply(const Update& update, const Item* old, const Item& key) {
  const Item& before_it = old != nullptr ? *old : key;
  // All values first: an attribute that is missing on the right is found before a path that is wrong on the left.
  std::vector<std::optional<AttributeValue>> values(update.actions().size());
  for (size_t i = 0; i < values.size(); ++i) {
    const UpdateAction& action = update.actions()[i];
    if (action.kind != ActionKind::kSet) continue;
    PARTITA_TRY(values[i], compute(action.value, before_it));
  }
  std::vector<Write> writes;
  for (size_t i = 0; i < values.size(); ++i) {
    PARTITA_TRY(std::optional<Write> write,
                prepare(update.actions()[i], std::move(values[i]), before_it, old != nullptr));
    if (write) writes.push_back(*std::move(write));
  }
  return Writer(before_it).finish(std::move(writes));
}

Item touched(const Update& update, const Item& item) {
  std::vector<Path> paths;
  for (const UpdateAction& action : update.actions()) paths.push_back(action.path);
  return project(Projection(std::move(paths)), item);
}

size_t statement_bytes(const Update& update) {
  // Measured against DynamoDB by bisecting the gate, these and the numbers above.
  constexpr size_t kStatement = 3;
  constexpr size_t kWriting = 19;
  constexpr size_t kClearing = 1;
  size_t bytes = kStatement;
  for (const UpdateAction& action : update.actions()) {
    bytes += target_bytes(action.path);
    if (action.kind == ActionKind::kRemove || action.kind == ActionKind::kDelete) {
      bytes += kClearing;
    } else {
      bytes += kWriting + value_bytes(action.value);
    }
  }
  return bytes;
}

}  // namespace partita::expr
