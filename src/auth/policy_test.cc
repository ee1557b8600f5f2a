#include "auth/policy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace partita::auth {
namespace {

class Nothing final : public Circumstances {
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
  EXPECT_EQ(judged("arn:aws:iam::123456789012:user/ann").meant, Meant::kAccount);
  EXPECT_TRUE(judged("arn:aws:iam::123456789012:user/eve").denied);
}

// As many names as an item can have, and as many patterns as a policy can.
class Many final : public Circumstances {
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

Decision decided(const std::string& document, Circumstances& circumstances) {
  const Policy policy = Policy::parse(document, Policy::Use::kIdentity).value();
  const Policy* const own[] = {&policy};
  return decide({.identity = own}, {"dynamodb:PutItem", "*", {"arn", "", "123456789012"}, circumstances});
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
            Decision::kNotInIdentity);
  EXPECT_TRUE(many.effort().is_used_up());
  Many others;
  EXPECT_EQ(decided(R"({"Statement":[{"Effect":"Allow",)" + all + R"(},{"Effect":"Deny",)" + all +
                        R"(,"Condition":{"ForAnyValue:StringLike")" + lines("name-") + "]}",
                    others),
            Decision::kNotInIdentity);
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
  EXPECT_EQ(decided(document + few + "]}}}}", many), Decision::kNotInIdentity);
  EXPECT_FALSE(many.effort().is_used_up());
}

TEST(PolicyTest, ALongPolicyIsNotRead) {
  EXPECT_EQ(sentence(std::string(70'000, ' '), Policy::Use::kIdentity), "A policy has at most 65,536 bytes.");
}

}  // namespace
}  // namespace partita::auth
