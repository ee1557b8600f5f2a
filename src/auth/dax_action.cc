#include "auth/dax_action.h"

#include <algorithm>
#include <array>

#include "auth/text_util.h"

namespace partita::auth {

std::string_view action_instead(std::string_view action) {
  constexpr std::string_view kDax = "dax:";
  constexpr std::string_view kDynamoDb = "dynamodb:";
  static constexpr std::array<std::string_view, 9> kActions = {
      "dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:ConditionCheckItem",
      "dynamodb:DeleteItem",   "dynamodb:GetItem",        "dynamodb:PutItem",
      "dynamodb:Query",        "dynamodb:Scan",           "dynamodb:UpdateItem"};
  const auto same = [](std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); };
  if (!same(action.substr(0, kDax.size()), kDax)) return {};
  const std::string_view name = action.substr(kDax.size());
  const auto* const found =
      std::ranges::find_if(kActions, [&](std::string_view one) { return same(one.substr(kDynamoDb.size()), name); });
  return found == kActions.end() ? std::string_view() : *found;
}

}  // namespace partita::auth
