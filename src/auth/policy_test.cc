#include "auth/policy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace partita::auth {
namespace {

class Nothing final : public ConditionContext {
 public:
  std::optional<std::span<const std::string_view>> values(const KeyName&) override { return std::nullopt; }
};

std::string sentence(std::string_view text, Policy::Use use) {
  const auto policy = Policy::parse(text, use);
  return policy.ok() ? "" : std::string(policy.error().sentence());
}

// The decisions are in policy_cases.py.
TEST(PolicyTest, SaysWhatIsWrongAndNamesTheWord) {
  const auto policy = Policy::parse(
      R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"StringIs":{"aws:userid":"a"}}}})",
      Policy::Use::kIdentity);
  ASSERT_FALSE(policy.ok());
  EXPECT_EQ(policy.error().sentence(), "Invalid Condition type : StringIs.");
  ASSERT_EQ(policy.error().args().size(), 2u);
  EXPECT_EQ(policy.error().args()[1], "StringIs");
}

TEST(PolicyTest, EachUseHasElementsOfItsOwn) {
  using enum Policy::Use;
  constexpr std::string_view kPlain = R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"*"}})";
  constexpr std::string_view kOfResource =
      R"({"Statement":{"Effect":"Allow","Principal":"*","Action":"*","Resource":"*","Sid":"a b"}})";
  constexpr std::string_view kOfTrust =
      R"({"Statement":{"Effect":"Allow","Principal":{"AWS":"123456789012"},"Action":"sts:AssumeRole"}})";
  EXPECT_EQ(sentence(kPlain, kIdentity), "");
  EXPECT_EQ(sentence(kPlain, kResource), "A statement needs Principal or NotPrincipal.");
  EXPECT_EQ(sentence(kOfResource, kResource), "");
  EXPECT_EQ(sentence(kOfResource, kTrust), "Has prohibited field Resource.");
  EXPECT_EQ(sentence(kOfTrust, kTrust), "");
  EXPECT_EQ(sentence(kOfTrust, kResource), "A statement needs Resource or NotResource.");
}

TEST(PolicyTest, ATrustPolicyNamesItsPrincipals) {
  const auto policy = Policy::parse(
      R"({"Statement":[{"Effect":"Allow","Principal":{"AWS":["arn:aws:iam::123456789012:root"]},"Action":"sts:*"},
          {"Effect":"Deny","Principal":{"AWS":"arn:aws:iam::123456789012:user/eve"},"Action":"*"}]})",
      Policy::Use::kTrust);
  ASSERT_TRUE(policy.ok());
  Nothing nothing;
  const auto judged = [&](std::string_view arn) {
    return policy->judge({"sts:AssumeRole", "*", {arn, "", "123456789012"}, nothing});
  };
  EXPECT_TRUE(judged("arn:aws:iam::123456789012:user/ann").allowed);
  EXPECT_EQ(judged("arn:aws:iam::123456789012:user/ann").match, PrincipalMatch::kByAccount);
  EXPECT_TRUE(judged("arn:aws:iam::123456789012:user/eve").denied);
}

// As many names as an item can have, and as many patterns as a policy can.
class Many final : public ConditionContext {
 public:
  Many() {
    for (int i = 0; i < 40'000; ++i) names_.push_back("name-" + std::to_string(i));
    views_.assign(names_.begin(), names_.end());
  }
  std::optional<std::span<const std::string_view>> values(const KeyName&) override {
    return std::span<const std::string_view>(views_);
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::string_view> views_;
};

PolicyDecision decided(const std::string& document, ConditionContext& condition_context) {
  const Policy policy = Policy::parse(document, Policy::Use::kIdentity).value();
  const Policy* const own[] = {&policy};
  return decide({.identity = own}, {"dynamodb:PutItem", "*", {"arn", "", "123456789012"}, condition_context});
}

TEST(PolicyTest, WhatTakesTooLongIsNotAllowed) {
  std::string patterns;
  for (int i = 0; i < 2'000; ++i) patterns += "\"*a?b*" + std::to_string(i) + "\",";
  const auto lines = [&](const char* last) {
    return R"(:{"dynamodb:Attributes":[)" + patterns + "\"" + last + R"("]}}})";
  };
  const std::string all = R"("Action":"*","Resource":"*")";
  Many many;
  EXPECT_EQ(decided(R"({"Statement":{"Effect":"Allow",)" + all + R"(,"Condition":{"ForAllValues:StringLike")" +
                        lines("name-*") + "}",
                    many),
            PolicyDecision::kNotInIdentity);
  EXPECT_TRUE(many.effort().is_used_up());
  Many others;
  EXPECT_EQ(decided(R"({"Statement":[{"Effect":"Allow",)" + all + R"(},{"Effect":"Deny",)" + all +
                        R"(,"Condition":{"ForAnyValue:StringLike")" + lines("name-") + "]}",
                    others),
            PolicyDecision::kNotInIdentity);
  EXPECT_TRUE(others.effort().is_used_up());
}

TEST(PolicyTest, ManyNamesAndManyTextsAreSoonCompared) {
  std::string texts;
  for (int i = 39'999; i >= 0; --i) texts += (texts.empty() ? "\"name-" : ",\"name-") + std::to_string(i) + "\"";
  Many many;
  const std::string document = R"({"Statement":{"Effect":"Allow","Action":"*","Resource":"*","Condition":
      {"ForAllValues:StringEquals":{"dynamodb:Attributes":[)";
  std::string few = texts.substr(0, 60'000);
  few.resize(few.rfind(','));
  EXPECT_EQ(decided(document + few + "]}}}}", many), PolicyDecision::kNotInIdentity);
  EXPECT_FALSE(many.effort().is_used_up());
}

// "AWS global condition context keys" in IAM's user guide, and the keys of DynamoDB and STS in the Service
// Authorization Reference, as of October 2026.
constexpr std::string_view kDocumented[] = {
    "aws:AssumedRoot",
    "aws:CalledVia",
    "aws:CalledViaAWSMCP",
    "aws:CalledViaFirst",
    "aws:CalledViaLast",
    "aws:ChatbotSourceArn",
    "aws:CurrentTime",
    "aws:Ec2InstanceSourcePrivateIPv4",
    "aws:Ec2InstanceSourceVpc",
    "aws:EpochTime",
    "aws:FederatedProvider",
    "aws:IsMcpServiceAction",
    "aws:MultiFactorAuthAge",
    "aws:MultiFactorAuthPresent",
    "aws:PrincipalAccount",
    "aws:PrincipalArn",
    "aws:PrincipalIsAWSService",
    "aws:PrincipalOrgID",
    "aws:PrincipalOrgPaths",
    "aws:PrincipalServiceName",
    "aws:PrincipalServiceNamesList",
    "aws:PrincipalTag/a",
    "aws:PrincipalType",
    "aws:referer",
    "aws:RequestedRegion",
    "aws:RequestTag/a",
    "aws:ResourceAccount",
    "aws:ResourceOrgID",
    "aws:ResourceOrgPaths",
    "aws:ResourceTag/a",
    "aws:SecureTransport",
    "aws:SignInSessionArn",
    "aws:SourceAccount",
    "aws:SourceArn",
    "aws:SourceIdentity",
    "aws:SourceIp",
    "aws:SourceOrgID",
    "aws:SourceOrgPaths",
    "aws:SourceVpc",
    "aws:SourceVpcArn",
    "aws:SourceVpce",
    "aws:TagKeys",
    "aws:TokenIssueTime",
    "aws:UserAgent",
    "aws:userid",
    "aws:username",
    "aws:ViaAWSMCPService",
    "aws:ViaAWSService",
    "aws:ViaCustomerDomain",
    "aws:VpceAccount",
    "aws:VpceOrgID",
    "aws:VpceOrgPaths",
    "aws:VpcSourceIp",
    "dynamodb:Attributes",
    "dynamodb:EnclosingOperation",
    "dynamodb:FirstPartitionKeyValues",
    "dynamodb:FisActionId",
    "dynamodb:FisTargetArns",
    "dynamodb:FourthPartitionKeyValues",
    "dynamodb:FullTableScan",
    "dynamodb:LeadingKeys",
    "dynamodb:ReturnConsumedCapacity",
    "dynamodb:ReturnValues",
    "dynamodb:SecondPartitionKeyValues",
    "dynamodb:Select",
    "dynamodb:ThirdPartitionKeyValues",
    "sts:ExternalId",
    "sts:RequestContext/a",
    "sts:RoleSessionName",
    "sts:TransitiveTagKeys",
};

std::string with_condition(std::string_view effect, std::string_view op, std::string_view key,
                           std::string_view value = "true") {
  return R"({"Statement":{"Action":"*","Resource":"*","Effect":")" + std::string(effect) + R"(","Condition":{")" +
         std::string(op) + R"(":{")" + std::string(key) + R"(":")" + std::string(value) + R"("}}}})";
}

TEST(PolicyTest, EveryDocumentedKeyIsKnownAndNoOther) {
  for (const std::string_view key : kDocumented) {
    EXPECT_EQ(sentence(with_condition("Allow", "Null", key), Policy::Use::kIdentity), "") << key;
    if (key.contains('/')) continue;
    const auto more = Policy::parse(with_condition("Allow", "Null", std::string(key) + "s"), Policy::Use::kIdentity);
    ASSERT_FALSE(more.ok()) << key;
    EXPECT_EQ(more.error().reason(), Policy::kUnknownKey) << key;
  }
  EXPECT_EQ(sentence(with_condition("Allow", "Null", "s3:prefix"), Policy::Use::kIdentity), "");
}

std::string warning(const std::string& document) {
  const auto policy = Policy::parse(document, Policy::Use::kIdentity);
  return policy.ok() && !policy->warnings().empty() ? policy->warnings().front() : "";
}

TEST(PolicyTest, WarnsOfConditionsThatDoNothing) {
  constexpr const char* kNothing =
      "Statement 1 denies nothing: it asks for aws:CalledVia, which no request to this server has.";
  constexpr const char* kAll = "Statement 1 is not restricted by aws:CalledVia, which no request to this server has.";
  for (const char* const op : {"StringEquals", "ForAnyValue:StringLike", "ForAnyValue:StringNotEquals"}) {
    EXPECT_EQ(warning(with_condition("Deny", op, "aws:CalledVia")), kNothing) << op;
    EXPECT_EQ(warning(with_condition("Allow", op, "aws:CalledVia")), "") << op;
  }
  for (const char* const op : {"StringNotEquals", "StringEqualsIfExists", "ForAllValues:StringEquals", "Null"}) {
    EXPECT_EQ(warning(with_condition("Deny", op, "aws:CalledVia")), "") << op;
    EXPECT_EQ(warning(with_condition("Allow", op, "aws:CalledVia")), kAll) << op;
  }
  EXPECT_EQ(warning(with_condition("Deny", "Null", "aws:CalledVia", "false")), kNothing);
  EXPECT_EQ(warning(with_condition("Deny", "StringEquals", "aws:username")), "");
}

TEST(PolicyTest, WarnsOfActionsOfDaxOnItems) {
  const auto warned = [](const std::string& action) {
    return warning(R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":[")" + action +
                   R"("],"Resource":"*"}})");
  };
  EXPECT_EQ(warned("DAX:getItem"),
            "Statement 1 names DAX:getItem, which no request to this server has: items over DAX need dynamodb:GetItem "
            "on the table.");
  EXPECT_EQ(warned(R"(dax:GetItem","dynamodb:PutItem)").substr(0, 29), "Statement 1 names dax:GetItem");
  EXPECT_EQ(warned(R"(dax:GetItem","dynamodb:Get*)"), "") << "as AWS's policies";
  for (const char* const action : {"dax:*", "dax:CreateCluster", "dynamodb:GetItem", "dax:", "*"}) {
    EXPECT_EQ(warned(action), "") << action;
  }
}

// Asks about a name: what is not known of an access holds in what allows, and not in what denies.
class OfName final : public ConditionContext {
 public:
  OfName() : ConditionContext(effort_, true) {}
  std::optional<std::span<const std::string_view>> values(const KeyName&) override { return std::nullopt; }

 private:
  Effort effort_;
};

TEST(PolicyTest, ANameIsRefusedOnlyWhenNothingOfItCouldBeAllowed) {
  const auto of_name = [](const std::string& document) {
    OfName condition_context;
    return decided(document, condition_context);
  };
  for (const char* const key : {"dynamodb:LeadingKeys", "dynamodb:SecondPartitionKeyValues", "dynamodb:Attributes",
                                "dynamodb:Select", "dynamodb:ReturnValues", "dynamodb:FullTableScan"}) {
    for (const char* const op : {"StringEquals", "StringNotEquals", "ForAllValues:StringEquals", "Null"}) {
      EXPECT_EQ(of_name(with_condition("Allow", op, key)), PolicyDecision::kAllowed) << key << op;
      const std::string denying = with_condition("Deny", op, key);
      const std::string both = R"({"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"},)" +
                               denying.substr(denying.find(':') + 1, denying.size() - denying.find(':') - 2) + "]}";
      EXPECT_EQ(of_name(both), PolicyDecision::kAllowed) << key << op;
    }
  }
  EXPECT_EQ(of_name(with_condition("Allow", "StringEquals", "aws:username")), PolicyDecision::kNotInIdentity);
}

TEST(PolicyTest, ALongPolicyIsNotRead) {
  EXPECT_EQ(sentence(std::string(70'000, ' '), Policy::Use::kIdentity), "A policy has at most 65,536 bytes.");
}

}  // namespace
}  // namespace partita::auth
