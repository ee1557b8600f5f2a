// Updates: the common form of UpdateExpression and AttributeUpdates, and its application to an item.
//
//   PARTITA_TRY(Update update, parse_update("SET n = n + :one REMOVE old", given));
//   PARTITA_TRY(Item after, apply(update, existing ? &*existing : nullptr, key));
//
// Every path on a right-hand side refers to the item before the update, and so does every list position.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/path.h"
#include "expr/placeholders.h"
#include "model/key.h"
#include "model/value.h"

namespace partita::expr {

// The right-hand side of a SET.
struct UpdateValue {
  enum class Kind : uint8_t {
    kConstant,
    kPath,
    kIfNotExists,  // the value at the path arguments[0], otherwise arguments[1]
    kListAppend,   // of both arguments
    kPlus,
    kMinus,
  };
  Kind kind = Kind::kConstant;
  ValuePtr constant;
  Path path;
  std::vector<UpdateValue> arguments;
};

struct UpdateAction {
  enum class Kind : uint8_t { kSet, kRemove, kAdd, kDelete };
  Kind kind = Kind::kSet;
  Path path;
  UpdateValue value;    // not for kRemove; a constant for kAdd and kDelete
  bool legacy = false;  // from AttributeUpdates: ADD also appends to lists, and errors differ
};

class Update {
 public:
  Update() = default;  // changes nothing
  // Precondition: no two paths overlap or conflict.
  explicit Update(std::vector<UpdateAction> actions) : actions_(std::move(actions)) {}

  const std::vector<UpdateAction>& actions() const { return actions_; }

  // False if it can only remove, so that it does not create an item.
  bool creates_item() const;

  // The distinct top-level attributes that its paths access with `.` or `[]`, to read or to write.
  std::vector<std::string> nested_attributes() const;

 private:
  std::vector<UpdateAction> actions_;
};

// Errors: everything that DynamoDB refuses before it looks at an item; see "Expressions" in model/faults.inc.
Result<Update> parse_update(std::string_view text, Placeholders& given);

// Errors: kUpdateOfKey with the first key attribute that the update names.
Result<void> check_no_key(const Update& update, const model::KeySchema& schema);

// The item after the update. `old` is null if there is no item; the result then starts from `key`. If there is no item
// and !update.creates_item(), nothing must be written, whatever the result. Takes time linear in the sizes of update
// and item, and no more memory than a few items of the largest size.
// Errors: kUpdatePathInvalid, kUpdateAttributeMissing, kUpdateOperandType, kUpdateTypeMismatch (legacy), faults of
// numbers, kNestingTooDeep; kItemToUpdateTooLarge if what it writes cannot be part of any item.
Result<model::Item> apply(const Update& update, const model::Item* old, const model::Item& key);

// UPDATED_OLD and UPDATED_NEW: the values at the paths that the update names, each in its hierarchy, from the item
// before or after it.
model::Item touched(const Update& update, const model::Item& item);

// The size of an UpdateExpression that UpdateItem limits (400 KB, model/limits.h), independent of the item: the names
// and values that it writes, and a cost for each action and each operand; measured against DynamoDB.
size_t statement_bytes(const Update& update);

}  // namespace partita::expr
