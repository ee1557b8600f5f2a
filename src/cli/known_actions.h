// The actions that a request to this server can need a permission for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace partita::cli {

// "dynamodb:GetItem", "iam:CreateUser", "partita:MoveClock"; sorted.
std::vector<std::string> known_actions();

// Capitals do not count, as in policies. One with wildcards is not looked up. Error: kInvalid (reason 0), for one that
// no request needs, with the closest that one does.
Result<void> check_action(std::string_view action);

}  // namespace partita::cli
