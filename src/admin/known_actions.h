// The actions that requests to this server need a permission for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace partita::admin {

// "dynamodb:GetItem", "iam:CreateUser", "partita:MoveClock"; sorted.
std::vector<std::string> known_actions();

// Ignores case, as policies do, and accepts any action with wildcards. Error: kInvalid (reason 0) for an unknown
// action, with the most similar one.
Result<void> check_action(std::string_view action);

}  // namespace partita::admin
