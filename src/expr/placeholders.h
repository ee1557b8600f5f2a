// ExpressionAttributeNames and ExpressionAttributeValues of one request, and which of them its expressions used.
//
//   PARTITA_TRY(Placeholders given, Placeholders::make(names, values));
//   PARTITA_TRY(Condition condition, parse_condition(text, ExpressionKind::kCondition, given));
//   PARTITA_TRY_VOID(given.check_all_used());   // after all expressions of the request are parsed
//
// One request's thread at a time. Parsed expressions share the values, so they may outlive the Placeholders.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/value.h"

namespace partita::expr {

// Which parameter of the request an expression came from; its errors name it.
enum class ExpressionKind : uint8_t { kCondition, kFilter, kKeyCondition, kProjection, kUpdate, kSearch };

// "ConditionExpression", "FilterExpression", "KeyConditionExpression", "ProjectionExpression", "UpdateExpression",
// "SearchConditionExpression".
std::string_view expression_name(ExpressionKind kind);

// A value that an expression mentions. Never null.
using ValuePtr = std::shared_ptr<const model::AttributeValue>;

class Placeholders {
 public:
  using Names = std::vector<std::pair<std::string, std::string>>;  // "#n" and the attribute that it stands for

  Placeholders() = default;  // neither parameter was given

  // Nullopt: the parameter was not in the request. Names come in any order; the last one of a key counts.
  // Errors: kNamesEmpty, kNamesKeySyntax, kNamesValueEmpty, kNamesValueTooLong, kValuesEmpty, kValuesKeySyntax,
  // kNamesTooLarge, kValuesTooLarge, kPlaceholdersTooLarge.
  static Result<Placeholders> make(std::optional<Names> names, std::optional<model::AttributeMap> values);

  // The name that `key` ("#n") stands for, or null; marks it as used. Valid until this object is moved.
  const std::string* use_name(std::string_view key);
  // The value that `key` (":v") stands for, or null; marks it as used.
  ValuePtr use_value(std::string_view key);

  // Errors: kUnusedNames and kUnusedValues, with every unused key, names before values.
  Result<void> check_all_used() const;

 private:
  Names names_;  // sorted by key
  std::vector<bool> names_used_;
  std::shared_ptr<const model::AttributeMap> values_;
  std::vector<bool> values_used_;
};

}  // namespace partita::expr
