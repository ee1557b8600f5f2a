#include "admin/known_actions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "admin/operator_calls.h"

namespace partita::admin {
namespace {

TEST(KnownActions, AreThoseOfOperationsStatementsUsersAndOperators) {
  const auto actions = known_actions();
  for (const char* action :
       {"dynamodb:GetItem", "dynamodb:ConditionCheckItem", "dynamodb:PartiQLSelect", "dynamodb:PutResourcePolicy",
        "iam:CreateUser", "iam:TagPolicy", "sts:AssumeRole", "partita:MoveClock"}) {
    EXPECT_EQ(std::ranges::count(actions, action), 1) << action;
  }
  // Of its parts policies are asked, not of itself.
  EXPECT_EQ(std::ranges::count(actions, "dynamodb:TransactWriteItems"), 0);
  EXPECT_EQ(std::ranges::count(actions, "dynamodb:PartiQL*"), 0);
  for (const std::string& action : actions) EXPECT_TRUE(check_action(action).ok()) << action;
}

TEST(KnownActions, AreComparedAsPoliciesDo) {
  EXPECT_TRUE(check_action("DynamoDB:getitem").ok());
  EXPECT_TRUE(check_action("dynamodb:Get*").ok());
  EXPECT_TRUE(check_action("s3:?etObject").ok());
}

TEST(KnownActions, SuggestTheClosest) {
  const auto said = [](std::string_view action) {
    const auto checked = check_action(action);
    return checked.ok() ? "allowed" : std::string(checked.error().sentence());
  };
  EXPECT_EQ(said("dynamodb:GetItme"), "No request has the action dynamodb:GetItme. Did you mean 'dynamodb:GetItem'?");
  EXPECT_EQ(said("dynamodb:getitme"), "No request has the action dynamodb:getitme. Did you mean 'dynamodb:GetItem'?");
  EXPECT_EQ(said("dynmodb:GetItem"), "No request has the action dynmodb:GetItem. Did you mean 'dynamodb:GetItem'?");
  EXPECT_EQ(said("partita:MoveClok"), "No request has the action partita:MoveClok. Did you mean 'partita:MoveClock'?");
  // The name of the service makes nothing alike.
  EXPECT_EQ(said("dynamodb:Xyz"), "No request has the action dynamodb:Xyz.");
  EXPECT_EQ(said("dax:getItem"),
            "No request has the action dax:getItem. Calls on items over DAX are authorised as over HTTP: they need "
            "dynamodb:GetItem on the table.");
  EXPECT_EQ(said("dax:CreateCluster"), "allowed");
  EXPECT_EQ(said("s3:GetObject"), "No request has the action s3:GetObject.");
}

}  // namespace
}  // namespace partita::admin
