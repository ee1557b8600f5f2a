// AWS authorises calls on items over DAX by actions of their own. This server asks for DynamoDB's.
#pragma once

#include <string_view>

namespace partita::auth {

// "dynamodb:GetItem" for "dax:GetItem", in any case; empty for every other action, also one with wildcards.
std::string_view action_instead(std::string_view action);

}  // namespace partita::auth
