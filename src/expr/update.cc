#include "expr/update.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>

#include "expr/projection.h"
#include "model/fault.h"
#include "model/limits.h"
#include "model/size.h"

namespace partita::expr {
namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Fault;
using model::Item;
using model::Number;
using model::Type;

using ActionKind = UpdateAction::Kind;
using ValueKind = UpdateValue::Kind;

// The value of a right-hand side: one that the item or the request has, or one that was made.
class Computed {
 public:
  explicit Computed(const AttributeValue& lent) : lent_(&lent) {}
  explicit Computed(AttributeValue&& made) : made_(std::move(made)) {}

  const AttributeValue& get() const { return lent_ != nullptr ? *lent_ : *made_; }
  AttributeValue take() && { return lent_ != nullptr ? *lent_ : *std::move(made_); }

 private:
  const AttributeValue* lent_ = nullptr;
  std::optional<AttributeValue> made_;
};

// How much of the 400 KB that an item may have is left for what one statement writes. All of it stands in the result,
// so that once there is no room the statement is refused for its size, if not for something else, and nothing need be
// copied any more.
class Room {
 public:
  bool spent() const { return spent_; }
  // False, and no room from then on, when so many bytes do not fit.
  bool fits(size_t bytes) {
    spent_ = spent_ || bytes > left_;
    return !spent_;
  }
  // Of a value that the statement writes.
  void take(const AttributeValue& value) {
    if (spent_) return;
    const size_t bytes = model::value_size(value);
    if (fits(bytes)) left_ -= bytes;
  }

 private:
  size_t left_ = model::kMaxItemBytes;
  bool spent_ = false;
};

Result<Computed> compute(const UpdateValue& value, const Item& old, Room& room);

// Both are lists.
Computed append(Computed front, Computed back, Room& room) {
  static const AttributeValue kNothing = AttributeValue::list({});
  if (room.spent() || !room.fits(model::value_size(front.get()) + model::value_size(back.get()))) {
    return Computed(kNothing);
  }
  AttributeValue list = std::move(front).take();
  const AttributeValue::List& more = back.get().as_list();
  list.as_list().insert(list.as_list().end(), more.begin(), more.end());
  return Computed(std::move(list));
}

Result<Computed> compute_appended(const UpdateValue& value, const Item& old, Room& room) {
  PARTITA_TRY(Computed front, compute(value.arguments[0], old, room));
  PARTITA_TRY(Computed back, compute(value.arguments[1], old, room));
  if (!front.get().is(Type::kL) || !back.get().is(Type::kL)) return model::refuse(Fault::kUpdateOperandType);
  return append(std::move(front), std::move(back), room);
}

Result<Computed> compute_sum(const UpdateValue& value, const Item& old, Room& room) {
  PARTITA_TRY(const Computed a, compute(value.arguments[0], old, room));
  PARTITA_TRY(const Computed b, compute(value.arguments[1], old, room));
  if (!a.get().is(Type::kN) || !b.get().is(Type::kN)) return model::refuse(Fault::kUpdateOperandType);
  const Number& left = a.get().as_number();
  const Number& right = b.get().as_number();
  PARTITA_TRY(Number sum, value.kind == ValueKind::kPlus ? left.add(right) : left.subtract(right));
  return Computed(AttributeValue::number(sum));
}

// Depth is bounded by the number of functions that an expression may have.
Result<Computed> compute(const UpdateValue& value, const Item& old, Room& room) {
  switch (value.kind) {
    case ValueKind::kConstant:
      return Computed(*value.constant);
    case ValueKind::kPath: {
      const AttributeValue* found = find(old, value.path);
      if (found == nullptr) return model::refuse(Fault::kUpdateAttributeMissing);
      return Computed(*found);
    }
    case ValueKind::kIfNotExists: {
      const AttributeValue* found = find(old, value.arguments[0].path);
      if (found != nullptr) return Computed(*found);
      return compute(value.arguments[1], old, room);
    }
    case ValueKind::kListAppend:
      return compute_appended(value, old, room);
    case ValueKind::kPlus:
    case ValueKind::kMinus:
      return compute_sum(value, old, room);
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

Result<Computed> compute_add(const UpdateAction& action, const AttributeValue* existing, Room& room) {
  const AttributeValue& operand = *action.value.constant;
  if (existing == nullptr) return Computed(operand);
  if (existing->type() != operand.type()) return wrong_type(action);
  if (operand.is(Type::kN)) {
    PARTITA_TRY(Number sum, existing->as_number().add(operand.as_number()));
    return Computed(AttributeValue::number(sum));
  }
  if (operand.is_set()) {
    if (room.spent() || !room.fits(model::value_size(operand))) return Computed(operand);
    return Computed(*combine_sets(*existing, operand, std::ranges::set_union));
  }
  if (!action.legacy || !operand.is(Type::kL)) return wrong_type(action);
  return append(Computed(*existing), Computed(operand), room);
}

// What becomes of one path.
struct Write {
  const Path* path;
  std::optional<AttributeValue> value;  // nothing: it goes
  bool append = false;                  // it lies past the end of its list
};

bool writes_before(const Write& a, const Write& b) {
  if (a.path->attribute != b.path->attribute) return a.path->attribute < b.path->attribute;
  return a.path->steps < b.path->steps;
}

// Writes within one map or list, sorted by path; the first `level` steps of all paths are the same;
// the attribute counts as the first.
using Writes = std::span<Write>;

const std::string& name_at(const Path& path, size_t level) {
  return level == 0 ? path.attribute : std::get<std::string>(path.steps[level - 1]);
}
uint32_t position_at(const Path& path, size_t level) { return std::get<uint32_t>(path.steps[level - 1]); }

// The writes that go on with the same step as the first of them; moves `writes` past those.
Writes take_group(Writes& writes, size_t level) {
  const auto same = [&](const Path& a, const Path& b) {
    return level == 0 ? a.attribute == b.attribute : a.steps[level - 1] == b.steps[level - 1];
  };
  size_t count = 1;
  while (count < writes.size() && same(*writes[count].path, *writes[0].path)) ++count;
  const Writes group = writes.first(count);
  writes = writes.subspan(count);
  return group;
}

// All of them were checked against the item as it was, so that what they lie in is there. Each container is gone
// through once, however many writes lie in it.
void write_into(AttributeValue& container, Writes writes, size_t level);

void write_map(AttributeMap& map, Writes writes, size_t level) {
  std::vector<AttributeMap::Entry> added;
  std::vector<std::string_view> gone;
  while (!writes.empty()) {
    const Writes group = take_group(writes, level);
    Write& write = group.front();
    const std::string& name = name_at(*write.path, level);
    AttributeValue* member = map.find(name);
    if (write.path->steps.size() > level) {
      PARTITA_CHECK(member != nullptr);
      write_into(*member, group, level + 1);
    } else if (!write.value) {
      gone.push_back(name);
    } else if (member != nullptr) {
      *member = *std::move(write.value);
    } else {
      added.push_back({name, *std::move(write.value)});
    }
  }
  map.erase_all(gone);
  map.merge(AttributeMap::of(std::move(added)));
}

// Positions mean the list as it was.
void write_list(AttributeValue::List& list, Writes writes, size_t level) {
  AttributeValue::List added;
  std::vector<uint32_t> gone;
  while (!writes.empty()) {
    const Writes group = take_group(writes, level);
    Write& write = group.front();
    const uint32_t position = position_at(*write.path, level);
    if (write.path->steps.size() > level) {
      PARTITA_CHECK(position < list.size());
      write_into(list[position], group, level + 1);
    } else if (!write.value) {
      gone.push_back(position);
    } else if (write.append) {
      added.push_back(*std::move(write.value));
    } else {
      PARTITA_CHECK(position < list.size());
      list[position] = *std::move(write.value);
    }
  }
  auto next = gone.begin();
  uint32_t position = 0;
  std::erase_if(list, [&](const AttributeValue&) {
    const bool goes = next != gone.end() && *next == position;
    ++position;
    if (goes) ++next;
    return goes;
  });
  std::ranges::move(added, std::back_inserter(list));
}

void write_into(AttributeValue& container, Writes writes, size_t level) {
  if (container.is(Type::kM)) return write_map(container.as_map(), writes, level);
  write_list(container.as_list(), writes, level);
}

// Whether the path can be written to at all: what it lies in is there, and of the right kind.
struct WriteTarget {
  bool valid = false;
  bool past_end = false;
};

WriteTarget place_of(const Path& path, const Item& old) {
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

// What a SET or an ADD writes; nothing once the statement writes too much.
Result<std::optional<Write>> make_write(const UpdateAction& action, Computed value, bool past_end, const Room& room) {
  if (room.spent()) return std::optional<Write>();
  PARTITA_TRY_VOID(check_depth(action.path, value.get()));
  return std::optional<Write>(Write{&action.path, std::move(value).take(), past_end});
}

Result<std::optional<Write>> prepare(const UpdateAction& action, std::optional<Computed> set_value, const Item& old,
                                     bool exists, Room& room) {
  const bool takes_away = action.kind == ActionKind::kRemove || action.kind == ActionKind::kDelete;
  const WriteTarget place = place_of(action.path, old);
  if (!place.valid) {
    if (takes_away && !exists) return std::optional<Write>();
    return model::refuse(Fault::kUpdatePathInvalid);
  }
  if (action.kind == ActionKind::kRemove) {
    // Nothing to put in order: a client may name half a million attributes that are not there.
    if (action.path.is_attribute() && !old.contains(action.path.attribute)) return std::optional<Write>();
    return std::optional<Write>(Write{&action.path, std::nullopt});
  }
  if (action.kind == ActionKind::kDelete) return compute_delete(action, find(old, action.path));
  if (action.kind == ActionKind::kAdd) {
    PARTITA_TRY(set_value, compute_add(action, find(old, action.path), room));
    room.take(set_value->get());
  }
  return make_write(action, *std::move(set_value), place.past_end, room);
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

// Names as they are mentioned for the first time.
class Mentioned {
 public:
  void add(const Path& path) {
    if (!path.is_attribute() && seen_.insert(path.attribute).second) names_.push_back(path.attribute);
  }
  void add(const UpdateValue& value) {
    if (value.kind == ValueKind::kPath) add(value.path);
    for (const UpdateValue& argument : value.arguments) add(argument);
  }
  std::vector<std::string> take() && { return std::move(names_); }

 private:
  std::vector<std::string> names_;
  std::set<std::string_view> seen_;  // into the update's own paths
};

}  // namespace

bool Update::creates_item() const {
  return actions_.empty() || std::ranges::any_of(actions_, [](const UpdateAction& action) {
           return action.kind == ActionKind::kSet || action.kind == ActionKind::kAdd;
         });
}

std::vector<std::string> Update::nested_attributes() const {
  Mentioned mentioned;
  for (const UpdateAction& action : actions_) {
    mentioned.add(action.path);
    mentioned.add(action.value);
  }
  return std::move(mentioned).take();
}

Result<void> check_no_key(const Update& update, const model::KeySchema& schema) {
  for (const UpdateAction& action : update.actions()) {
    if (schema.names(action.path.attribute)) return model::refuse(Fault::kUpdateOfKey, {action.path.attribute});
  }
  return {};
}

Result<Item> apply(const Update& update, const Item* old, const Item& key) {
  const Item& before_it = old != nullptr ? *old : key;
  Room room;
  // All values first: an attribute that is missing on the right is found before a path that is wrong on the left.
  std::vector<std::optional<Computed>> values(update.actions().size());
  for (size_t i = 0; i < values.size(); ++i) {
    const UpdateAction& action = update.actions()[i];
    if (action.kind != ActionKind::kSet) continue;
    PARTITA_TRY(values[i], compute(action.value, before_it, room));
    room.take(values[i]->get());
  }
  std::vector<Write> writes;
  for (size_t i = 0; i < values.size(); ++i) {
    PARTITA_TRY(std::optional<Write> write,
                prepare(update.actions()[i], std::move(values[i]), before_it, old != nullptr, room));
    if (write) writes.push_back(*std::move(write));
  }
  if (room.spent()) return model::refuse(Fault::kItemToUpdateTooLarge);
  std::ranges::sort(writes, writes_before);
  Item after = before_it;
  write_map(after, writes, 0);
  return after;
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
