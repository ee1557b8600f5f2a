// Whose keys are believed, and for how long.
#include "iam/directory.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "auth/text_util.h"
#include "base/executor.h"
#include "iam/iam_testing.h"

namespace partita::iam {
namespace {

constexpr std::string_view kTrust =
    R"({"Statement":{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:user/a"},"Action":"sts:AssumeRole"}})";
constexpr std::string_view kFile = "[root]\naws_access_key_id=AKIDROOT\naws_secret_access_key=of the file\n";

struct Credentials {
  std::string id, secret, token;
};

Credentials credentials_in(const std::string& xml) {
  return {inside(xml, "AccessKeyId"), inside(xml, "SecretAccessKey"), inside(xml, "SessionToken")};
}

class DirectoryTest : public testing::Test {
 protected:
  DirectoryTest() {
    root("Action=CreateUser&UserName=a");
    key_ = credentials_in(root("Action=CreateAccessKey&UserName=a"));
    root("Action=CreateRole&RoleName=r&AssumeRolePolicyDocument=" + std::string(kTrust));
  }
  std::string root(std::string_view body) { return ask(directory_, clock_, root_, body); }
  auth::Caller caller(const Credentials& who) {
    const auto key = directory_.find(who.id, who.token);
    kept_.push_back(key);
    return {.access_key_id = who.id,
            .region = "us-east-1",
            .account_id = "123456789012",
            .identity = key->identity,
            .signed_for = auth::SignedFor::kSts,
            .temporary = key->expires_ms != 0};
  }
  std::string as(const Credentials& who, std::string_view body) { return ask(directory_, clock_, caller(who), body); }
  Credentials role(std::string_view more = "") {
    return credentials_in(as(
        key_, "Action=AssumeRole&RoleSessionName=sess&RoleArn=arn:aws:iam::123456789012:role/r" + std::string(more)));
  }
  bool believed(const Credentials& who) const { return directory_.find(who.id, who.token) != nullptr; }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  ManualClock clock_{1'767'323'045'000};
  const auth::Credentials file_ = auth::Credentials::parse(kFile).value();
  Directory directory_{*engine_, clock_, &file_};
  const auth::Caller root_{.access_key_id = "AKIDROOT", .region = "us-east-1", .account_id = "123456789012"};
  Credentials key_;
  std::vector<std::shared_ptr<const auth::AccessKey>> kept_;
};

TEST_F(DirectoryTest, BelievesKeysOfTheFileAndOfTheStore) {
  EXPECT_EQ(directory_.find("AKIDROOT", "")->identity, nullptr);
  const auto key = directory_.find(key_.id, "");
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->secret, key_.secret);
  EXPECT_EQ(key->identity->name, "a");
  EXPECT_EQ(directory_.find("AKIANOBODY", ""), nullptr);
}

TEST_F(DirectoryTest, StopsBelievingWhenAKeyIsTakenAway) {
  const uint64_t before = directory_.revision();
  root("Action=UpdateAccessKey&UserName=a&Status=Inactive&AccessKeyId=" + key_.id);
  EXPECT_FALSE(believed(key_));
  EXPECT_NE(directory_.revision(), before);
  root("Action=UpdateAccessKey&UserName=a&Status=Active&AccessKeyId=" + key_.id);
  EXPECT_TRUE(believed(key_));
  root("Action=DeleteAccessKey&UserName=a&AccessKeyId=" + key_.id);
  EXPECT_FALSE(believed(key_));
}

TEST_F(DirectoryTest, ASessionOfARoleIsOfTheRole) {
  const Credentials session = role();
  ASSERT_TRUE(believed(session)) << as(key_, "Action=AssumeRole&RoleSessionName=x");
  const auto key = directory_.find(session.id, session.token);
  EXPECT_EQ(key->secret, session.secret);
  EXPECT_EQ(key->identity->arn, "arn:aws:sts::123456789012:assumed-role/r/sess");
  EXPECT_EQ(key->identity->role, "arn:aws:iam::123456789012:role/r");
  EXPECT_TRUE(key->identity->id.ends_with(":sess"));
  EXPECT_EQ(key->expires_ms, clock_.now_ms() + 3'600'000);
  EXPECT_EQ(inside(as(session, "Action=GetCallerIdentity"), "Arn"), key->identity->arn);
  Directory other(*engine_, clock_, &file_);
  ASSERT_TRUE(wait_for(other.look_again()).ok());
  EXPECT_NE(other.find(session.id, session.token), nullptr) << "another server of the store believes it";
}

TEST_F(DirectoryTest, ATokenThatWasTouchedIsWorthNothing) {
  const Credentials session = role();
  for (size_t i = 0; i < session.token.size(); ++i) {
    Credentials forged = session;
    forged.token[i] = forged.token[i] == 'A' ? 'B' : 'A';
    ASSERT_FALSE(believed(forged)) << i;
  }
  EXPECT_FALSE(believed({session.id, session.secret, ""}));
  EXPECT_FALSE(believed({session.id, session.secret, session.token + "A"}));
  EXPECT_FALSE(believed({role().id, session.secret, session.token})) << "another key's token";
  const auto elsewhere = open_memory_engine();
  Directory other(*elsewhere, clock_, &file_);
  EXPECT_EQ(other.find(session.id, session.token), nullptr) << "another store's";
}

TEST_F(DirectoryTest, ASessionGoesWithWhomItIsOf) {
  const Credentials of_role = role();
  const Credentials of_user = credentials_in(as(key_, "Action=GetSessionToken"));
  EXPECT_TRUE(believed(of_user));
  EXPECT_EQ(directory_.find(of_user.id, of_user.token)->identity->name, "a");
  root("Action=UpdateAccessKey&UserName=a&Status=Inactive&AccessKeyId=" + key_.id);
  EXPECT_FALSE(believed(of_user));
  EXPECT_TRUE(believed(of_role)) << "as in AWS";
  root("Action=DeleteRole&RoleName=r");
  EXPECT_FALSE(believed(of_role));
  root("Action=CreateRole&RoleName=r&AssumeRolePolicyDocument=" + std::string(kTrust));
  EXPECT_FALSE(believed(of_role)) << "another role of the same name";
}

TEST_F(DirectoryTest, ARoleIsForWhomItTrusts) {
  root("Action=CreateUser&UserName=b");
  const Credentials other = credentials_in(root("Action=CreateAccessKey&UserName=b"));
  const std::string call = "Action=AssumeRole&RoleSessionName=sess&RoleArn=arn:aws:iam::123456789012:role/";
  EXPECT_EQ(as(other, call + "r"),
            "AccessDenied: User: arn:aws:iam::123456789012:user/b is not authorized to perform: sts:AssumeRole on "
            "resource: arn:aws:iam::123456789012:role/r");
  EXPECT_TRUE(as(key_, call + "none").starts_with("AccessDenied: User: arn:aws:iam::123456789012:user/a is not"));
  EXPECT_EQ(as(key_, call + "r&DurationSeconds=7200"),
            "ValidationError: The requested DurationSeconds exceeds the MaxSessionDuration set for this role.");
  EXPECT_TRUE(as(key_, call + "r&DurationSeconds=899").starts_with("ValidationError: 1 validation error detected"));
  // A role that trusts the account leaves it to the account's own policies.
  root(R"(Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=)"
       R"({"Statement":{"Effect":"Allow","Principal":{"AWS":"123456789012"},"Action":"sts:AssumeRole"}})");
  EXPECT_TRUE(as(other, call + "r").starts_with("AccessDenied"));
  root(R"(Action=PutUserPolicy&UserName=b&PolicyName=p&PolicyDocument=)"
       R"({"Statement":{"Effect":"Allow","Action":"sts:AssumeRole","Resource":"*"}})");
  EXPECT_TRUE(believed(credentials_in(as(other, call + "r"))));
}

TEST_F(DirectoryTest, WhoIsMadeAnewUnderATrustedNameIsNotTrusted) {
  const std::string arn = "arn:aws:iam::123456789012:user/a";
  const auto shown = [&] {
    return auth::decode_percent(inside(root("Action=GetRole&RoleName=r"), "AssumeRolePolicyDocument"));
  };
  const std::string id = inside(root("Action=GetUser&UserName=a"), "UserId");
  EXPECT_TRUE(believed(role()));
  EXPECT_EQ(shown(), std::string(kTrust));
  root("Action=DeleteAccessKey&UserName=a&AccessKeyId=" + key_.id);
  EXPECT_EQ(root("Action=DeleteUser&UserName=a"), "");
  EXPECT_NE(shown().find("\"AWS\":\"" + id + "\""), std::string::npos) << shown();
  root("Action=CreateUser&UserName=a");
  key_ = credentials_in(root("Action=CreateAccessKey&UserName=a"));
  const std::string take = "Action=AssumeRole&RoleSessionName=sess&RoleArn=arn:aws:iam::123456789012:role/r";
  EXPECT_TRUE(as(key_, take).starts_with("AccessDenied: User: " + arn + " is not authorized"));
  // Saved again it means the new one; what is shown of the gone one means nobody.
  const std::string update = "Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=";
  EXPECT_EQ(root(update + shown()),
            "MalformedPolicyDocument: Invalid principal in policy: &quot;AWS&quot;:&quot;" + id + "&quot;");
  EXPECT_EQ(root(update + std::string(kTrust)), "");
  EXPECT_TRUE(believed(role()));
  EXPECT_EQ(shown(), std::string(kTrust));
}

// As it was kept before there were ids in it.
TEST_F(DirectoryTest, ATrustPolicyThatNamesByArnIsMendedBySavingWhatIsShown) {
  const KnownRef known = directory_.known();
  auth::Account account = known->account;
  auth::Principal role_of_old = *account.find(auth::PrincipalKind::kRole, "r");
  role_of_old.trust = kTrust;
  account.of(auth::PrincipalKind::kRole)["r"] = std::make_shared<const auth::Principal>(std::move(role_of_old));
  ASSERT_TRUE(wait_for(directory_.commit(known, account)).value());
  EXPECT_TRUE(believed(role()));
  const std::string shown = auth::decode_percent(inside(root("Action=GetRole&RoleName=r"), "AssumeRolePolicyDocument"));
  EXPECT_EQ(root("Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=" + shown), "");
  const std::string id = inside(root("Action=GetUser&UserName=a"), "UserId");
  const std::string& kept = directory_.known()->account.find(auth::PrincipalKind::kRole, "r")->trust;
  EXPECT_NE(kept.find("\"AWS\":\"" + id + "\""), std::string::npos) << kept;
  EXPECT_TRUE(believed(role()));
}

TEST_F(DirectoryTest, ARoleThatIsMadeAnewIsNotTrustedEither) {
  const std::string of_r =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":["123456789012",)"
      R"("arn:aws:iam::123456789012:role/r"]},"Action":"sts:AssumeRole",)"
      R"("Condition":{"StringLike":{"aws:PrincipalArn":"arn:aws:iam::123456789012:role/r"}}}]})";
  root("Action=CreateRole&RoleName=next&AssumeRolePolicyDocument=" + of_r);
  EXPECT_EQ(auth::decode_percent(inside(root("Action=GetRole&RoleName=next"), "AssumeRolePolicyDocument")), of_r);
  const std::string made = inside(root("Action=GetRole&RoleName=r"), "RoleId");
  root("Action=DeleteRole&RoleName=r");
  root("Action=CreateRole&RoleName=r&AssumeRolePolicyDocument=" + std::string(kTrust));
  const std::string shown =
      auth::decode_percent(inside(root("Action=GetRole&RoleName=next"), "AssumeRolePolicyDocument"));
  EXPECT_NE(shown.find("[\"123456789012\",\"" + made + "\"]"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\"aws:PrincipalArn\":\"arn:aws:iam::123456789012:role/r\""), std::string::npos) << shown;
  EXPECT_EQ(
      root("Action=CreateRole&RoleName=other&AssumeRolePolicyDocument="
           R"({"Statement":{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:user/nobody"},)"
           R"("Action":"sts:AssumeRole"}})"),
      "MalformedPolicyDocument: Invalid principal in policy: &quot;AWS&quot;:&quot;arn:aws:iam::123456789012:user/nobody&quot;");
}

TEST_F(DirectoryTest, ARoleTrustsTheSessionsOfAnotherByItsId) {
  const std::string of_r = R"({"Statement":{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:role/r"},)"
                           R"("Action":"sts:AssumeRole"}})";
  root("Action=CreateRole&RoleName=next&AssumeRolePolicyDocument=" + of_r);
  const std::string take = "Action=AssumeRole&RoleSessionName=sess&RoleArn=arn:aws:iam::123456789012:role/next";
  EXPECT_TRUE(believed(credentials_in(as(role(), take))));
  EXPECT_TRUE(as(key_, take).starts_with("AccessDenied"));
}

TEST_F(DirectoryTest, ASessionIsNarrowedByItsPolicy) {
  const Credentials session =
      role(R"(&Policy={"Statement":{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"*"}})");
  ASSERT_TRUE(believed(session));
  EXPECT_NE(directory_.find(session.id, session.token)->identity->session, nullptr);
}

TEST_F(DirectoryTest, SessionsMayNotMakeSessionsOrChangeUsers) {
  const Credentials of_user = credentials_in(as(key_, "Action=GetSessionToken"));
  EXPECT_EQ(as(of_user, "Action=GetSessionToken"),
            "AccessDenied: Cannot call GetSessionToken with session credentials");
  EXPECT_EQ(as(of_user, "Action=ListUsers"),
            "InvalidClientTokenId: The security token included in the request is invalid");
  EXPECT_TRUE(as(key_, "Action=ListUsers").starts_with("AccessDenied")) << "nobody allowed it";
}

// A thread that serves, which goes on with what is resumed on it when the test says so.
class Serving final : public Executor {
 public:
  Serving() { set_current(this); }
  ~Serving() override { set_current(nullptr); }
  void resume(std::coroutine_handle<> handle) override {
    const std::lock_guard lock(mutex_);
    ready_.push_back(handle);
    changed_.notify_one();
  }
  void run_one() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ready_.empty(); });
    const std::coroutine_handle<> handle = ready_.front();
    ready_.pop_front();
    lock.unlock();
    handle.resume();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::coroutine_handle<>> ready_;
};

class WhereJudge final : public PolicyChecker {
 public:
  Result<void> check(std::string_view, const Subject&) override {
    thread = std::this_thread::get_id();
    return {};
  }
  std::thread::id thread;
};

// With hundreds of users a change takes tens of milliseconds, and a list of them all nearly as long.
TEST_F(DirectoryTest, NothingIsDoneOnTheThreadThatServes) {
  for (const std::string_view body : {"Action=CreateUser&UserName=b&Version=2010-05-08",
                                      "Action=GetAccountAuthorizationDetails&Version=2010-05-08"}) {
    const wire::Form form = wire::Form::parse(body).value();
    const CallRow* const call = find_call(form).value();
    WhereJudge judge;
    Serving serving;
    std::thread::id ended;
    start(carry_out(directory_, *call, form, root_, clock_.now_ms(), judge), [&](Result<std::string>&& answer) {
      EXPECT_TRUE(answer.ok());
      ended = std::this_thread::get_id();
    });
    while (ended == std::thread::id()) serving.run_one();
    EXPECT_EQ(ended, std::this_thread::get_id());
    EXPECT_NE(judge.thread, std::thread::id());
    EXPECT_NE(judge.thread, ended);
  }
}

// Whatever still uses what was known before keeps it, and lets go of it without taking it apart.
TEST_F(DirectoryTest, WhatWasKnownBeforeEndsAtALaterChange) {
  const std::weak_ptr<const Known> before = directory_.known();
  std::shared_ptr<const auth::AccessKey> in_use = directory_.find(key_.id, "");
  root("Action=CreateUser&UserName=b");
  root("Action=CreateUser&UserName=c");
  EXPECT_EQ(in_use->identity->name, "a");
  in_use.reset();
  EXPECT_FALSE(before.expired());
  root("Action=CreateUser&UserName=d");
  EXPECT_TRUE(before.expired());
}

TEST_F(DirectoryTest, UsersOfAFileAreNotChanged) {
  const auth::Account account =
      auth::read_account(
          R"({"UserDetailList":[{"UserName":"f"}],"RoleDetailList":[{"RoleName":"q","AssumeRolePolicyDocument":)"
          R"({"Statement":{"Effect":"Allow","Principal":{"AWS":"*"},"Action":"sts:AssumeRole"}}}]})")
          .value();
  Directory of_file(*engine_, clock_, &file_, &account);
  EXPECT_EQ(inside(ask(of_file, clock_, root_, "Action=ListUsers"), "UserName"), "f");
  EXPECT_TRUE(ask(of_file, clock_, root_, "Action=CreateUser&UserName=g").starts_with("UnmodifiableEntity"));
  EXPECT_EQ(of_file.find(key_.id, ""), nullptr) << "users of the store do not count then";
  const Credentials session = credentials_in(
      ask(of_file, clock_, root_, "Action=AssumeRole&RoleSessionName=sess&RoleArn=arn:aws:iam::123456789012:role/q"));
  EXPECT_NE(of_file.find(session.id, session.token), nullptr);
}

}  // namespace
}  // namespace partita::iam
