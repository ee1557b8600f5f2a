// What policies are asked about, of each kind of call.
#include "iam/calls.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "iam/iam_testing.h"

namespace partita::iam {
namespace {

constexpr std::string_view kDocument = R"({"Statement":{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"*"}})";
constexpr std::string_view kTrustPolicy =
    R"({"Statement":{"Effect":"Allow","Principal":"*","Action":"sts:AssumeRole"}})";

// Lets all pass, and notes "ACTION RESOURCE" without what all of them begin with.
class Noting final : public PolicyChecker {
 public:
  Result<void> check(std::string_view action, const Subject& subject) override {
    constexpr std::string_view kBegin = "arn:aws:iam::123456789012:";
    std::string_view resource = subject.resource;
    if (resource.starts_with(kBegin)) resource.remove_prefix(kBegin.size());
    noted.push_back(std::string(action.substr(4)) + " " + std::string(resource));
    tagged |= subject.tags != nullptr && !subject.tags->empty();
    bounded.push_back(subject.boundary.has_value());
    return {};
  }
  std::vector<std::string> noted;
  std::vector<bool> bounded;
  bool tagged = false;  // what is there already
};

class CallsTest : public testing::Test {
 protected:
  CallsTest() { root("CreateUser&UserName=ann&Path=/team/&Tags.member.1.Key=a&Tags.member.1.Value=b"); }
  void root(std::string_view body) { ::partita::iam::ask(directory_, clock_, root_, "Action=" + std::string(body)); }

  // As ann.
  Noting ask(std::string_view body) {
    Noting judge;
    const auto form = wire::Form::parse("Action=" + std::string(body) + "&Version=2010-05-08");
    const KnownRef known = directory_.known();  // which identities live as long as
    const auth::Caller caller{.access_key_id = "key",
                              .region = "us-east-1",
                              .account_id = "123456789012",
                              .identity = known->identities.find("ann")};
    answer_ = wait_for(carry_out(directory_, *find_call(*form).value(), *form, caller, clock_.now_ms(), judge)).ok();
    return judge;
  }
  std::vector<std::string> asked(std::string_view body) { return ask(body).noted; }

  using Noted = std::vector<std::string>;
  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  ManualClock clock_{1'767'323'045'000};
  Directory directory_{*engine_, clock_};
  const auth::Caller root_{.access_key_id = "root", .region = "us-east-1", .account_id = "123456789012"};
  bool answer_ = false;
};

TEST_F(CallsTest, AListIsOfItsPathAndNotOfWhoCalls) {
  EXPECT_EQ(asked("ListUsers"), Noted{"ListUsers user/"});
  EXPECT_EQ(asked("ListUsers&PathPrefix=/team/"), Noted{"ListUsers user/team/"});
  EXPECT_EQ(asked("ListRoles&PathPrefix=/team/"), Noted{"ListRoles role/team/"});
  EXPECT_EQ(asked("ListGroups&PathPrefix=/team/"), Noted{"ListGroups group/team/"});
  EXPECT_EQ(asked("ListUsers&UserName=ann"), Noted{"ListUsers user/"});
  EXPECT_EQ(asked("ListPolicies"), Noted{"ListPolicies *"});
  EXPECT_EQ(asked("GetAccountAuthorizationDetails"), Noted{"GetAccountAuthorizationDetails *"});
  EXPECT_FALSE(ask("ListUsers").tagged) << "whoever calls is not what is listed";
  for (const std::string list : {"ListUsers", "ListRoles", "ListGroups", "ListPolicies"}) {
    for (const char* prefix : {"", "team/"}) {
      asked(list + "&PathPrefix=" + prefix);
      EXPECT_FALSE(answer_) << list << " of all, judged as a list of " << prefix;
    }
  }
}

TEST_F(CallsTest, WhatNamesNobodyIsAboutWhoCalls) {
  EXPECT_EQ(asked("GetUser"), Noted{"GetUser user/team/ann"});
  EXPECT_EQ(asked("ListAccessKeys"), Noted{"ListAccessKeys user/team/ann"});
  EXPECT_TRUE(ask("GetUser").tagged);
  EXPECT_EQ(asked("GetUser&UserName=none&Path=/x/"), Noted{"GetUser user/none"});
}

TEST_F(CallsTest, WhatIsMadeIsJudgedByItsWordsAlone) {
  EXPECT_EQ(asked("CreateUser&Path=/zz/&UserName=none"), Noted{"CreateUser user/zz/none"});
  EXPECT_EQ(asked("CreateUser&Path=/zz/&UserName=ann"), Noted{"CreateUser user/zz/ann"}) << "who is there already";
  EXPECT_FALSE(ask("CreateUser&UserName=ann").tagged);
  EXPECT_EQ(asked("CreatePolicy&Path=/zz/&PolicyName=p&PolicyArn=arn:aws:iam::123456789012:policy/mine/p"),
            Noted{"CreatePolicy policy/zz/p"});
}

TEST_F(CallsTest, WhatIsMadeWithTagsIsTaggedToo) {
  const std::string tag = "&Tags.member.1.Key=team&Tags.member.1.Value=red";
  const std::string boundary = "&PermissionsBoundary=arn:aws:iam::aws:policy/AdministratorAccess";
  const Noting user = ask("CreateUser&UserName=u" + tag + boundary);
  EXPECT_TRUE(answer_);
  EXPECT_EQ(user.noted, (Noted{"CreateUser user/u", "TagUser user/u"}));
  EXPECT_EQ(user.bounded, (std::vector{true, false}));
  EXPECT_EQ(asked("CreateRole&RoleName=r&Path=/p/&AssumeRolePolicyDocument=" + std::string(kTrustPolicy) + tag),
            (Noted{"CreateRole role/p/r", "TagRole role/p/r"}));
  EXPECT_TRUE(answer_);
  EXPECT_EQ(asked("CreatePolicy&PolicyName=p&PolicyDocument=" + std::string(kDocument) + tag),
            (Noted{"CreatePolicy policy/p", "TagPolicy policy/p"}));
  EXPECT_TRUE(answer_);
}

}  // namespace
}  // namespace partita::iam
