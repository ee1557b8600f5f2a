// What the calls do to an account, and what they say to ordinary mistakes.
#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "iam/iam_testing.h"
#include "storage/tracking_engine.h"

namespace partita::iam {
namespace {

constexpr std::string_view kAllowGets =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"*"}]})";

class IamTest : public testing::Test {
 protected:
  std::string root(std::string_view body) { return ask(directory_, clock_, root_, body); }
  std::string with(std::string_view call, std::string_view document) {
    return root(std::string(call) + "&PolicyDocument=" + std::string(document));
  }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  ManualClock clock_{1'767'323'045'000};
  Directory directory_{*engine_, clock_};
  const auth::Caller root_{.access_key_id = "root", .region = "us-east-1", .account_id = "123456789012"};
};

TEST_F(IamTest, MakesShowsAndDeletesAUser) {
  const std::string made =
      root("Action=CreateUser&UserName=alice&Path=/team/&Tags.member.1.Key=a&Tags.member.1.Value=b");
  EXPECT_EQ(inside(made, "Arn"), "arn:aws:iam::123456789012:user/team/alice");
  EXPECT_TRUE(inside(made, "UserId").starts_with("AIDA"));
  EXPECT_EQ(inside(made, "CreateDate"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(inside(root("Action=GetUser&UserName=alice"), "Value"), "b");
  EXPECT_EQ(root("Action=CreateUser&UserName=Alice"), "EntityAlreadyExists: User with name Alice already exists.");
  EXPECT_EQ(inside(root("Action=GetUser&UserName=ALICE"), "UserName"), "alice") << "names differ by more than capitals";
  EXPECT_EQ(inside(root("Action=CreateAccessKey&UserName=Alice"), "UserName"), "alice");
  root("Action=CreateGroup&GroupName=Readers");
  EXPECT_EQ(root("Action=AddUserToGroup&UserName=ALICE&GroupName=readers"), "");
  EXPECT_EQ(inside(root("Action=GetGroup&GroupName=READERS"), "UserName"), "alice");
  EXPECT_EQ(root("Action=RemoveUserFromGroup&UserName=alice&GroupName=Readers"), "");
  const std::string key = inside(root("Action=ListAccessKeys&UserName=alice"), "AccessKeyId");
  EXPECT_EQ(root("Action=DeleteAccessKey&UserName=aLice&AccessKeyId=" + key), "");
  EXPECT_EQ(root("Action=DeleteUser&UserName=ALICE"), "");
  EXPECT_EQ(root("Action=GetUser&UserName=alice"), "NoSuchEntity: The user with name alice cannot be found.");
}

// Has those who write wait until all that can come have come.
class Gathering final : public storage::TrackingEngine {
 public:
  using TrackingEngine::TrackingEngine;
  Task<Result<storage::Outcome>> transact(std::vector<storage::Key> keys, std::vector<storage::Compare> compare,
                                          storage::Decide decide, storage::Version* version) override {
    Pause pause{*this};
    co_await pause;
    co_return co_await TrackingEngine::transact(std::move(keys), std::move(compare), std::move(decide), version);
  }
  // False: nobody waits.
  bool let_go() {
    std::vector<std::coroutine_handle<>> now;
    {
      const std::lock_guard lock(mutex_);
      now.swap(waiting_);
    }
    for (const std::coroutine_handle<> one : now) one.resume();
    return !now.empty();
  }

 private:
  struct Pause {
    Gathering& of;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      const std::lock_guard lock(of.mutex_);
      of.waiting_.push_back(handle);
    }
    void await_resume() const noexcept {}
  };
  std::mutex mutex_;
  std::vector<std::coroutine_handle<>> waiting_;
};

TEST_F(IamTest, ManyWritersAllGetWhatTheyAskFor) {
  constexpr int kWriters = 30;
  Gathering engine(*engine_);
  Directory directory(engine, clock_);
  PlainPolicyChecker judge(nullptr);
  std::deque<wire::Form> forms;
  std::atomic<int> made = 0;
  std::atomic<int> ended = 0;
  for (int i = 0; i < kWriters; ++i) {
    const std::string body = "Action=CreateUser&Version=2010-05-08&UserName=u" + std::to_string(i);
    forms.push_back(wire::Form::parse(body).value());
    start(carry_out(directory, *find_call(forms.back()).value(), forms.back(), root_, clock_.now_ms(), judge),
          [&](const Result<std::string>& answer) {
            made += answer.ok() ? 1 : 0;
            ++ended;
          });
  }
  while (ended < kWriters) engine.let_go();
  EXPECT_EQ(made, kWriters);
  EXPECT_EQ(directory.known()->account.of(auth::PrincipalKind::kUser).size(), size_t{kWriters});
}

TEST_F(IamTest, KeysOfTagsDifferByMoreThanCapitals) {
  const auto tag = [](std::string_view key, std::string_view value, int number = 1) {
    const std::string member = "&Tags.member." + std::to_string(number);
    return member + ".Key=" + std::string(key) + member + ".Value=" + std::string(value);
  };
  const std::string twice =
      "ValidationError: Duplicate tag keys found. Please note that Tag keys are case insensitive.";
  EXPECT_EQ(root("Action=CreateUser&UserName=a" + tag("team", "1") + tag("Team", "2", 2)), twice);
  root("Action=CreateUser&UserName=a" + tag("Department", "finance") + tag("other", "o", 2));
  EXPECT_EQ(root("Action=TagUser&UserName=a" + tag("team", "1") + tag("TEAM", "2", 2)), twice);
  EXPECT_EQ(root("Action=TagUser&UserName=a" + tag("department", "hr")), "");
  EXPECT_EQ(root("Action=ListUserTags&UserName=a"),
            "<Tags><member><Key>department</Key><Value>hr</Value></member><member><Key>other</Key><Value>o</Value>"
            "</member></Tags><IsTruncated>false</IsTruncated>");
  EXPECT_EQ(root("Action=UntagUser&UserName=a&TagKeys.member.1=DEPARTMENT"), "");
  EXPECT_EQ(inside(root("Action=ListUserTags&UserName=a"), "Key"), "other");
  // Those of policies are what they are.
  const std::string made =
      with("Action=CreatePolicy&PolicyName=p" + tag("team", "1") + tag("Team", "2", 2), kAllowGets);
  EXPECT_EQ(inside(made, "PolicyName"), "p") << made;
}

TEST_F(IamTest, RefusesWhatItDoesNotHonour) {
  EXPECT_EQ(root("Action=CreateUser&UserName=a&Colour=red"),
            "ValidationError: The parameter Colour of CreateUser is not supported here.");
  EXPECT_EQ(
      root("Action=CreateUser"),
      "ValidationError: 1 validation error detected: Value null at 'userName' failed to satisfy constraint: Member "
      "must not be null");
  EXPECT_EQ(
      root("Action=CreateUser&UserName=a%20b"),
      "ValidationError: The specified value for userName is invalid. It must contain only alphanumeric characters "
      "and/or the following: +=,.@_-");
  EXPECT_EQ(root("Action=CreateLoginProfile&UserName=a"),
            "InvalidAction: Could not find operation CreateLoginProfile for version 2010-05-08");
  EXPECT_EQ(root("UserName=a"), "MissingAction: The request is missing an action or a required parameter");
  EXPECT_EQ(root("Action=CreateUser&UserName=a&Tags.member.2.Key=x"),
            "ValidationError: Tags are to be numbered from 1, each with a Key and a Value.");
  root("Action=CreateUser&UserName=a");
  const std::string null = "ValidationError: 1 validation error detected: Value null at '";
  const std::string not_null = "' failed to satisfy constraint: Member must not be null";
  EXPECT_EQ(root("Action=TagUser&UserName=a"), null + "tags" + not_null);
  EXPECT_EQ(root("Action=UntagUser&UserName=a"), null + "tagKeys" + not_null);
  EXPECT_EQ(root("Action=UntagUser&UserName=a&TagKeys.member.1=x&TagKeys.member.3=y"),
            "ValidationError: TagKeys are to be numbered from 1.");
  const std::string arn = inside(with("Action=CreatePolicy&PolicyName=p", kAllowGets), "Arn");
  const std::string neither =
      "ValidationError: 1 validation error detected: Value 'True' at 'setAsDefault' failed to satisfy constraint: Member "
      "must be true or false";
  EXPECT_EQ(with("Action=CreatePolicyVersion&SetAsDefault=True&PolicyArn=" + arn, kAllowGets), neither);
  const std::string made = with("Action=CreatePolicyVersion&SetAsDefault=true&PolicyArn=" + arn, kAllowGets);
  EXPECT_EQ(inside(made, "VersionId") + inside(made, "IsDefaultVersion"), "v2true");
  EXPECT_TRUE(root("Action=ListPolicies&OnlyAttached=1").starts_with("ValidationError"));
  EXPECT_EQ(with("Action=CreatePolicy&PolicyName=P", kAllowGets),
            "EntityAlreadyExists: A policy called P already exists. Duplicate names are not allowed.");
}

TEST_F(IamTest, DeletesNothingThatIsStillHeld) {
  root("Action=CreateUser&UserName=a");
  root("Action=CreateGroup&GroupName=g");
  root("Action=AddUserToGroup&GroupName=g&UserName=a");
  const std::string arn = inside(with("Action=CreatePolicy&PolicyName=p", kAllowGets), "Arn");
  root("Action=AttachUserPolicy&UserName=a&PolicyArn=" + arn);
  with("Action=PutUserPolicy&UserName=a&PolicyName=own", kAllowGets);
  const std::string key = inside(root("Action=CreateAccessKey&UserName=a"), "AccessKeyId");
  const std::string gone = "Action=DeleteUser&UserName=a";
  EXPECT_EQ(root("Action=DeleteGroup&GroupName=g"),
            "DeleteConflict: Cannot delete entity, must remove users from group first.");
  EXPECT_EQ(root(gone), "DeleteConflict: Cannot delete entity, must remove users from group first.");
  root("Action=RemoveUserFromGroup&GroupName=g&UserName=a");
  EXPECT_EQ(root(gone), "DeleteConflict: Cannot delete entity, must delete access keys first.");
  EXPECT_EQ(root("Action=DeleteAccessKey&UserName=a&AccessKeyId=" + key), "");
  EXPECT_EQ(root(gone), "DeleteConflict: Cannot delete entity, must detach all policies first.");
  EXPECT_EQ(root("Action=DeletePolicy&PolicyArn=" + arn),
            "DeleteConflict: Cannot delete a policy attached to entities.");
  root("Action=DetachUserPolicy&UserName=a&PolicyArn=" + arn);
  EXPECT_EQ(root(gone), "DeleteConflict: Cannot delete entity, must delete policies first.");
  root("Action=DeleteUserPolicy&UserName=a&PolicyName=own");
  EXPECT_EQ(root(gone), "");
  EXPECT_EQ(root("Action=DeletePolicy&PolicyArn=" + arn), "");
  EXPECT_EQ(root("Action=DeleteGroup&GroupName=g"), "");
}

TEST_F(IamTest, KeepsQuotas) {
  root("Action=CreateUser&UserName=a");
  root("Action=CreateAccessKey&UserName=a");
  root("Action=CreateAccessKey&UserName=a");
  EXPECT_EQ(root("Action=CreateAccessKey&UserName=a"), "LimitExceeded: Cannot exceed quota for AccessKeysPerUser: 2");
  const std::string long_policy =
      std::string(kAllowGets.substr(0, kAllowGets.size() - 1)) + std::string(2'100, ' ') + "}";
  EXPECT_EQ(with("Action=PutUserPolicy&UserName=a&PolicyName=p", long_policy), "") << "white space does not count";
  const auto of_letters = [](size_t count) {
    std::string text(kAllowGets.substr(0, kAllowGets.size() - 6));
    text += R"("arn:aws:dynamodb:*:*:table/)";
    for (size_t i = 0; i < count; ++i) text += "%C3%A9";
    return text + R"("}]})";
  };
  const size_t plain = of_letters(0).size();
  const std::string whole = with("Action=CreatePolicy&PolicyName=letters", of_letters(6'144 - plain));
  EXPECT_EQ(inside(whole, "PolicyName"), "letters") << whole;
  EXPECT_EQ(with("Action=CreatePolicy&PolicyName=more", of_letters(6'145 - plain)),
            "LimitExceeded: Cannot exceed quota for PolicySize: 6144");
  const std::string arn = inside(with("Action=CreatePolicy&PolicyName=p", kAllowGets), "Arn");
  for (int i = 0; i < 4; ++i) with("Action=CreatePolicyVersion&PolicyArn=" + arn, kAllowGets);
  EXPECT_TRUE(with("Action=CreatePolicyVersion&PolicyArn=" + arn, kAllowGets).starts_with("LimitExceeded: A managed"));
  EXPECT_TRUE(root("Action=DeletePolicyVersion&VersionId=v1&PolicyArn=" + arn).starts_with("DeleteConflict"));
  EXPECT_EQ(root("Action=DeletePolicyVersion&VersionId=v2&PolicyArn=" + arn), "");
  EXPECT_EQ(inside(with("Action=CreatePolicyVersion&PolicyArn=" + arn, kAllowGets), "VersionId"), "v6")
      << "numbers are never used again";
}

TEST_F(IamTest, SaysWhatIsWrongWithPolicies) {
  root("Action=CreateUser&UserName=a");
  EXPECT_EQ(with("Action=PutUserPolicy&UserName=a&PolicyName=p", "nothing"),
            "MalformedPolicyDocument: The policy is not valid JSON.");
  EXPECT_EQ(root("Action=AttachUserPolicy&UserName=a&PolicyArn=arn:aws:iam::123456789012:policy/none"),
            "NoSuchEntity: Policy arn:aws:iam::123456789012:policy/none does not exist or is not attachable.");
  EXPECT_EQ(root("Action=AttachUserPolicy&UserName=a&PolicyArn=arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess"),
            "");
  EXPECT_EQ(with("Action=CreatePolicyVersion&PolicyArn=arn:aws:iam::aws:policy/AdministratorAccess", kAllowGets),
            "AccessDenied: Policies of AWS cannot be changed.");
}

TEST_F(IamTest, ListsInPages) {
  for (const char name : std::string_view("abcde")) root("Action=CreateUser&UserName=" + std::string(1, name));
  const std::string first = root("Action=ListUsers&MaxItems=2");
  EXPECT_EQ(inside(first, "IsTruncated"), "true");
  EXPECT_NE(first.find("<UserName>b</UserName>"), std::string::npos);
  EXPECT_EQ(first.find("<UserName>c</UserName>"), std::string::npos);
  const std::string last = root("Action=ListUsers&Marker=" + inside(first, "Marker"));
  EXPECT_EQ(inside(last, "UserName"), "c");
  EXPECT_EQ(inside(last, "IsTruncated"), "false");
}

TEST_F(IamTest, IsReadAgainAsItWasWritten) {
  with("Action=CreatePolicy&PolicyName=p&Path=/x/&Description=what%20for", kAllowGets);
  root("Action=CreateUser&UserName=a&PermissionsBoundary=arn:aws:iam::123456789012:policy/x/p");
  root("Action=CreateGroup&GroupName=g");
  root("Action=AddUserToGroup&GroupName=g&UserName=a");
  root("Action=CreateAccessKey&UserName=a");
  root(
      "Action=CreateRole&RoleName=r&MaxSessionDuration=7200&AssumeRolePolicyDocument="
      R"({"Statement":{"Effect":"Allow","Principal":{"AWS":"123456789012"},"Action":"sts:AssumeRole"}})");
  const std::string before = root("Action=GetAccountAuthorizationDetails");
  Directory other(*engine_, clock_);
  EXPECT_EQ(ask(other, clock_, root_, "Action=GetAccountAuthorizationDetails"), before);
  EXPECT_EQ(inside(before, "MaxSessionDuration"), "7200");
  EXPECT_EQ(before.find("Secret"), std::string::npos);
}

TEST_F(IamTest, TwoServersLoseNoChange) {
  Directory other(*engine_, clock_);
  for (int i = 0; i < 20; ++i) {
    ask(i % 2 == 0 ? directory_ : other, clock_, root_, "Action=CreateUser&UserName=u" + std::to_string(i));
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(inside(root("Action=GetUser&UserName=u" + std::to_string(i)), "UserName"), "u" + std::to_string(i));
  }
}

}  // namespace
}  // namespace partita::iam
