#include "dax/authorisation.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "dax/authorisation_testing.h"

namespace partita::dax {
namespace {

auth::AccessKey key(std::string_view id, std::string_view secret) {
  auth::AccessKey made;
  made.id = id;
  made.secret = secret;
  return made;
}

class SomeKeys final : public auth::Keys {
 public:
  std::shared_ptr<const auth::AccessKey> find(std::string_view id, std::string_view) const override {
    const auto found = keys.find(std::string(id));
    return found == keys.end() ? nullptr : found->second;
  }
  uint64_t revision() const override { return changes; }
  int64_t now_ms() const override { return time_ms; }
  size_t size() const override { return keys.size(); }

  void add(auth::AccessKey key) {
    const std::string id = key.id;
    keys.insert_or_assign(id, std::make_shared<const auth::AccessKey>(std::move(key)));
    ++changes;
  }

  std::map<std::string, std::shared_ptr<const auth::AccessKey>> keys;
  uint64_t changes = 0;
  int64_t time_ms = kStartMs;
};

class AuthorisationTest : public testing::Test {
 protected:
  AuthorisationTest() { keys_.add(key(kKeyId, kSecret)); }

  void prove(const SignedText& signature, std::string_view token = {}, std::string_view id = kKeyId) {
    authorisation_.prove({id, signature.signature, signature.text, token});
  }
  const auth::Verdict& verdict() { return authorisation_.verdict(clock_.monotonic_ns()); }
  // Nothing: the caller is known.
  std::optional<auth::Refusal> refusal() {
    const auto* refused = std::get_if<auth::Refused>(&verdict());
    return refused == nullptr ? std::nullopt : std::optional(refused->why);
  }
  std::string detail() { return std::get<auth::Refused>(verdict()).detail; }
  const auth::Caller& caller() { return *std::get<std::shared_ptr<const auth::Caller>>(verdict()); }

  ManualClock clock_{kStartMs};
  SomeKeys keys_;
  const Verifier verifier_{&keys_, clock_, "us-east-1"};
  Authorisation authorisation_{verifier_};
};

TEST_F(AuthorisationTest, KnowsNobodyAtFirst) { EXPECT_EQ(refusal(), auth::Refusal::kMissingToken); }

TEST_F(AuthorisationTest, KnowsWhoSigned) {
  prove(sign(kSecret, kNow));
  EXPECT_EQ(refusal(), std::nullopt);
  EXPECT_EQ(caller().access_key_id, kKeyId);
  EXPECT_EQ(caller().region, "us-east-1");
  EXPECT_EQ(caller().signed_for, auth::SignedFor::kDax);
  EXPECT_FALSE(caller().temporary);
}

TEST_F(AuthorisationTest, TakesBothHostsThatClientsSign) {
  prove(sign(kSecret, kNow, "https://dax.amazonaws.com"));
  EXPECT_EQ(refusal(), std::nullopt);
  prove(sign(kSecret, kNow, "dynamodb.amazonaws.com"));
  EXPECT_EQ(refusal(), auth::Refusal::kInvalidSignature);
}

TEST_F(AuthorisationTest, RefusesWrongSignatures) {
  prove(sign("wrong", kNow));
  EXPECT_EQ(refusal(), auth::Refusal::kInvalidSignature);
  SignedText signature = sign(kSecret, kNow);
  signature.signature.pop_back();
  prove(signature);
  EXPECT_EQ(refusal(), auth::Refusal::kInvalidSignature);
  signature = sign(kSecret, kNow);
  signature.text.back() = signature.text.back() == '0' ? '1' : '0';
  prove(signature);
  EXPECT_EQ(refusal(), auth::Refusal::kInvalidSignature);
  prove(sign(kSecret, kNow, "dax.amazonaws.com", "dynamodb"));
  EXPECT_EQ(refusal(), auth::Refusal::kInvalidSignature);
  EXPECT_EQ(detail(), "Credential should be scoped to correct service: 'dax'. ");
  prove(sign(kSecret, kNow), {}, "AKIDOTHER");
  EXPECT_EQ(refusal(), auth::Refusal::kUnrecognizedClient);
}

TEST_F(AuthorisationTest, RefusesWhatIsNoStringToSign) {
  const std::string text = sign(kSecret, kNow).text;
  for (const std::string& wrong : {std::string(), text + "\n", text.substr(0, text.rfind('\n')), "x" + text,
                                   std::string("AWS4-HMAC-SHA256\n\n\n"), std::string(1000, '\n')}) {
    prove({wrong, "00"});
    EXPECT_EQ(refusal(), auth::Refusal::kIncompleteSignature) << wrong;
  }
  for (const std::string& id : {std::string(), std::string("a b"), std::string("a\n"), std::string(129, 'a')}) {
    prove(sign(kSecret, kNow), {}, id);
    EXPECT_EQ(refusal(), auth::Refusal::kIncompleteSignature) << id;
  }
}

TEST_F(AuthorisationTest, WantsADateOfTheLast15Minutes) {
  const std::pair<const char*, bool> dates[] = {{"20260102T024905Z", true},  {"20260102T024904Z", false},
                                                {"20260102T031905Z", true},  {"20260102T031906Z", false},
                                                {"20260102T0304050", false}, {"20261302T030405Z", false}};
  for (const auto& [date, fresh] : dates) {
    prove(sign(kSecret, date));
    EXPECT_EQ(!refusal(), fresh) << date;
  }
}

TEST_F(AuthorisationTest, EndsAfterTenMinutes) {
  prove(sign(kSecret, kNow));
  clock_.advance_ms(Authorisation::kLifetimeMs - 1);
  EXPECT_EQ(refusal(), std::nullopt);
  EXPECT_FALSE(authorisation_.lapsed());
  clock_.advance_ms(1);
  EXPECT_EQ(refusal(), auth::Refusal::kInvalidSignature);
  EXPECT_TRUE(authorisation_.lapsed());
  prove(sign(kSecret, "20260102T031405Z"));
  EXPECT_EQ(refusal(), std::nullopt);
  EXPECT_FALSE(authorisation_.lapsed());
}

TEST_F(AuthorisationTest, EndsWithTheKey) {
  prove(sign(kSecret, kNow));
  keys_.add(key("AKIDOTHER", "other"));
  EXPECT_EQ(refusal(), std::nullopt);
  keys_.add(key(kKeyId, "changed"));
  EXPECT_EQ(refusal(), auth::Refusal::kUnrecognizedClient);
  keys_.add(key(kKeyId, kSecret));
  EXPECT_EQ(refusal(), auth::Refusal::kUnrecognizedClient);
  prove(sign(kSecret, kNow));
  EXPECT_EQ(refusal(), std::nullopt);
  keys_.keys.clear();
  ++keys_.changes;
  EXPECT_EQ(refusal(), auth::Refusal::kUnrecognizedClient);
}

TEST_F(AuthorisationTest, WantsTheTokenOfTemporaryCredentials) {
  auth::AccessKey temporary = key(kKeyId, kSecret);
  temporary.session_token = "token";
  temporary.expires_ms = kStartMs + 1000;
  keys_.add(std::move(temporary));
  prove(sign(kSecret, kNow));
  EXPECT_EQ(refusal(), auth::Refusal::kUnrecognizedClient);
  prove(sign(kSecret, kNow), "toke");
  EXPECT_EQ(refusal(), auth::Refusal::kUnrecognizedClient);
  prove(sign(kSecret, kNow), "token");
  EXPECT_EQ(refusal(), std::nullopt);
  EXPECT_TRUE(caller().temporary);
  keys_.time_ms += 1000;
  EXPECT_EQ(refusal(), auth::Refusal::kExpiredToken);
  prove(sign(kSecret, kNow), "token");
  EXPECT_EQ(refusal(), auth::Refusal::kExpiredToken);
}

TEST(AuthorisationWithoutKeys, TakesEveryWellFormedSignature) {
  ManualClock clock(0);
  const Verifier verifier{nullptr, clock, {}};
  Authorisation authorisation(verifier);
  SignedText signature = sign("wrong", kNow);
  authorisation.prove({"anyone", signature.signature, signature.text, "token"});
  const auto* caller = std::get_if<std::shared_ptr<const auth::Caller>>(&authorisation.verdict(0));
  ASSERT_NE(caller, nullptr);
  EXPECT_EQ((*caller)->access_key_id, "anyone");
  EXPECT_EQ((*caller)->region, "eu-west-1");
  signature = sign("wrong", kNow, "dax.amazonaws.com", "dynamodb");
  authorisation.prove({"anyone", signature.signature, signature.text, {}});
  EXPECT_TRUE(std::holds_alternative<auth::Refused>(authorisation.verdict(0)));
}

}  // namespace
}  // namespace partita::dax
