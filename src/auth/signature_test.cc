#include "auth/signature.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <vector>

#include "auth/authenticate.h"
#include "auth/credentials.h"
#include "base/clock.h"

namespace partita::auth {
namespace {

TEST(Sha256, KnowsItsTestVectors) {
  const auto hex = [](std::string_view text) {
    std::string out;
    append_hex(out, sha256(text));
    return out;
  };
  EXPECT_EQ(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");  // FIPS 180-4
  EXPECT_EQ(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(HmacKey, KnowsItsTestVectors) {
  const auto hex = [](std::string_view key, std::string_view text) {
    std::string out;
    append_hex(out, HmacKey(key).sign(text));
    return out;
  };
  // RFC 4231, cases 2 and 6: a short key, and one longer than a block.
  EXPECT_EQ(hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

using HeaderFields = std::multimap<std::string, std::string, std::less<>>;

// 2026-01-02T03:04:05Z
constexpr int64_t kNowMs = 1'767'323'045'000;
constexpr std::string_view kNow = "20260102T030405Z";

// A request that can be signed, changed, and asked about.
struct Request {
  HeaderFields headers = {{"host", "localhost:8000"},
                          {"x-amz-date", std::string(kNow)},
                          {"x-amz-target", "DynamoDB_20120810.ListTables"},
                          {"x-two", "a  b"},
                          {"x-two", " c "}};
  std::string target = "/";
  std::string body = "{}";
  std::string id = "AKIDEXAMPLE";
  std::string secret = "a secret";
  std::string names = "host;x-amz-date;x-amz-target;x-two";

  Facts facts() const {
    return {"POST", target,
            [this](std::string_view name, size_t place) -> std::optional<std::string_view> {
              auto [at, end] = headers.equal_range(name);
              for (; at != end && place > 0; --place) ++at;
              return at == end ? std::nullopt : std::optional<std::string_view>(at->second);
            },
            body};
  }
  std::string first(std::string_view name) const { return std::string(facts().header(name)); }
  std::string scope() const { return first("x-amz-date").substr(0, 8) + "/eu-west-3/dynamodb/aws4_request"; }

  Request& sign() {
    const std::string date = first("x-amz-date");
    const HmacKey key = signing_key(secret, date.substr(0, 8), "eu-west-3");
    std::string signature;
    SignedTexts texts;
    write_texts(facts(), {names, date, scope()}, texts);
    append_hex(signature, key.sign(texts.to_sign));
    headers.erase("authorization");
    headers.emplace("authorization", "AWS4-HMAC-SHA256 Credential=" + id + "/" + scope() + ", SignedHeaders=" + names +
                                         ", Signature=" + signature);
    return *this;
  }
  Request& set(const std::string& name, const std::string& value) {
    headers.erase(name);
    headers.emplace(name, value);
    return *this;
  }
};

class Verified : public testing::Test {
 protected:
  Verdict ask(const Request& request) { return verify(authenticator_.claim(request.facts()), request.facts()); }
  // Taken: the access key; refused: "REASON text".
  std::string told(const Request& request) {
    const Verdict verdict = ask(request);
    if (const auto* caller = std::get_if<std::shared_ptr<const Caller>>(&verdict)) {
      return (*caller)->access_key_id;
    }
    const auto& refused = std::get<Refused>(verdict);
    return std::to_string(static_cast<int>(refused.why)) + " " + refused.detail;
  }
  static std::string refusal(Refusal why, std::string_view text) {
    return std::to_string(static_cast<int>(why)) + " " + std::string(text);
  }

  Credentials credentials_ = Credentials::parse(
                                 "[one]\naws_access_key_id=AKIDEXAMPLE\naws_secret_access_key=a secret\n"
                                 "[two]\naws_access_key_id=ASIA2\naws_secret_access_key=another\n"
                                 "aws_session_token=token\n")
                                 .value();
  ManualClock clock_{kNowMs};
  Authenticator authenticator_{&credentials_, clock_};
};

constexpr std::string_view kMismatch = "The request signature we calculated does not match the signature you provided.";

TEST_F(Verified, TakesWhatIsSigned) {
  const Request request = Request().sign();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(told(request), "AKIDEXAMPLE");
}

// Keys that change while they are known.
class Changing final : public Keys {
 public:
  std::shared_ptr<const AccessKey> find(std::string_view id, std::string_view) const override {
    if (!there || id != "AKIDEXAMPLE") return nullptr;
    AccessKey key;
    key.id = id;
    key.secret = secret;
    key.expires_ms = expires_ms;
    return std::make_shared<const AccessKey>(std::move(key));
  }
  uint64_t revision() const override { return changes; }
  int64_t now_ms() const override { return later_ms; }
  size_t size() const override { return 1; }

  bool there = true;
  std::string secret = "a secret";
  int64_t expires_ms = 0;
  int64_t later_ms = kNowMs;
  uint64_t changes = 1;
};

TEST(ChangingKeys, AreForgottenWhenTheyChange) {
  const ManualClock clock(kNowMs);
  Changing keys;
  Authenticator authenticator(&keys, clock);
  const Request request = Request().sign();
  const auto taken = [&] { return verify(authenticator.claim(request.facts()), request.facts()).index() == 0; };
  EXPECT_TRUE(taken());
  keys.there = false;
  EXPECT_TRUE(taken()) << "nobody said that anything changed";
  ++keys.changes;
  EXPECT_FALSE(taken());
  keys.there = true;
  ++keys.changes;
  EXPECT_TRUE(taken());
  keys.secret = "another";
  ++keys.changes;
  EXPECT_FALSE(taken());
}

TEST(ChangingKeys, EndByTheirOwnClock) {
  const ManualClock clock(kNowMs);
  Changing keys;
  keys.expires_ms = kNowMs + 1'000;
  Authenticator authenticator(&keys, clock);
  const Request request = Request().sign();
  for (const int64_t before : {1, 1'000}) {
    keys.later_ms = keys.expires_ms - before;
    const Verdict verdict = verify(authenticator.claim(request.facts()), request.facts());
    ASSERT_EQ(verdict.index(), 0U);
    EXPECT_TRUE(std::get<0>(verdict)->temporary);
  }
  keys.later_ms = keys.expires_ms;
  for (int i = 0; i < 2; ++i) {
    const Verdict verdict = verify(authenticator.claim(request.facts()), request.facts());
    ASSERT_EQ(verdict.index(), 1U);
    EXPECT_EQ(std::get<Refused>(verdict).why, Refusal::kExpiredToken);
  }
}

// Of every kind of request: whatever the one before it was, the signature decides.
TEST_F(Verified, RefusesWhateverWasAltered) {
  const Request good = Request().sign();
  const std::vector<void (*)(Request&)> alterations = {
      [](Request& r) { r.body = "{ }"; },
      [](Request& r) { r.set("host", "localhost:8001"); },
      [](Request& r) { r.set("x-amz-target", "DynamoDB_20120810.DeleteTable"); },
      [](Request& r) { r.set("x-amz-date", "20260102T030406Z"); },
      [](Request& r) { r.set("x-two", "a b,d"); },
      [](Request& r) { r.headers.erase("x-two"); },
      [](Request& r) { r.target = "/?a=b"; },
      [](Request& r) { r.target = "/a"; },
      [](Request& r) {
        std::string header = r.first("authorization");
        header.back() = header.back() == '0' ? '1' : '0';
        r.set("authorization", header);
      },
      [](Request& r) { r.set("authorization", r.first("authorization") + "0"); },
      [](Request& r) {
        r.set("authorization", r.first("authorization").substr(0, r.first("authorization").size() - 1));
      },
  };
  for (const auto& alter : alterations) {
    for (const bool after_good : {false, true}) {
      Authenticator fresh(&credentials_, clock_);
      if (after_good) verify(fresh.claim(good.facts()), good.facts());
      Request altered = good;
      alter(altered);
      const Verdict verdict = verify(fresh.claim(altered.facts()), altered.facts());
      const auto* refused = std::get_if<Refused>(&verdict);
      ASSERT_NE(refused, nullptr);
      EXPECT_EQ(refused->why, Refusal::kInvalidSignature);
      EXPECT_TRUE(refused->detail.starts_with(kMismatch)) << refused->detail;
    }
  }
  Request unlike = good;
  unlike.set("x-unsigned", "whatever");
  EXPECT_EQ(told(unlike), "AKIDEXAMPLE");
}

TEST_F(Verified, ShowsBothTextsOfAMismatch) {
  Request request = Request().sign();
  request.body = "other";
  const std::string text = told(request);
  EXPECT_NE(text.find("The Canonical String for this request should have been\n'POST\n/\n\nhost:localhost:8000\n"
                      "x-amz-date:20260102T030405Z\nx-amz-target:DynamoDB_20120810.ListTables\nx-two:a b,c\n\n"
                      "host;x-amz-date;x-amz-target;x-two\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("'\n\nThe String-to-Sign should have been\n'AWS4-HMAC-SHA256\n20260102T030405Z\n"
                      "20260102/eu-west-3/dynamodb/aws4_request\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("a secret"), std::string::npos);
}

TEST_F(Verified, KnowsOnlyItsKeys) {
  Request unknown;
  unknown.id = "AKIDOTHER";
  EXPECT_EQ(told(unknown.sign()),
            refusal(Refusal::kUnrecognizedClient, "The security token included in the request is invalid."));
  Request wrong;
  wrong.secret = "a secrets";
  EXPECT_TRUE(told(wrong.sign()).find(kMismatch) != std::string::npos);
}

TEST_F(Verified, WantsTheSessionTokenOfTheKey) {
  constexpr const char* kWithToken = "host;x-amz-date;x-amz-security-token;x-amz-target";
  Request request;
  request.id = "ASIA2";
  request.secret = "another";
  const std::string refused =
      refusal(Refusal::kUnrecognizedClient, "The security token included in the request is invalid");
  EXPECT_EQ(told(request.sign()), refused);
  request.names = kWithToken;
  EXPECT_EQ(told(request.set("x-amz-security-token", "tokens").sign()), refused);
  EXPECT_EQ(told(request.set("x-amz-security-token", "token").sign()), "ASIA2");
  Request without;
  without.names = kWithToken;
  EXPECT_EQ(told(without.set("x-amz-security-token", "token").sign()), refused);
}

TEST_F(Verified, HoldsForFiveMinutes) {
  const auto at = [&](std::string_view date) { return told(Request().set("x-amz-date", std::string(date)).sign()); };
  EXPECT_EQ(at("20260102T025905Z"), "AKIDEXAMPLE");
  EXPECT_EQ(at("20260102T030905Z"), "AKIDEXAMPLE");
  EXPECT_EQ(at("20260102T025904Z"), refusal(Refusal::kInvalidSignature,
                                            "Signature expired: 20260102T025904Z is now earlier than "
                                            "20260102T025905Z (20260102T030405Z - 5 min.)"));
  EXPECT_EQ(at("20260102T030906Z"), refusal(Refusal::kInvalidSignature,
                                            "Signature not yet current: 20260102T030906Z is still later than "
                                            "20260102T030905Z (20260102T030405Z + 5 min.)"));
  for (const char* date : {"201", "20260102T030405", "20261302T030405Z", "20260230T030405Z", "20260102T240405Z",
                           "2026010aT030405Z", "20260102 030405Z"}) {
    EXPECT_EQ(at(date), refusal(Refusal::kIncompleteSignature, "Date must be in ISO-8601 'basic format'. Got '" +
                                                                   std::string(date) +
                                                                   "'. See http://en.wikipedia.org/wiki/ISO_8601"));
  }
  // The same header a while later.
  const Request request = Request().sign();
  EXPECT_EQ(told(request), "AKIDEXAMPLE");
  clock_.advance_ms(301'000);
  EXPECT_NE(told(request).find("Signature expired"), std::string::npos);
}

TEST_F(Verified, WantsTheScopeToBeOfTheDay) {
  Request request = Request().sign();
  std::string header = request.first("authorization");
  header.replace(header.find("/20260102/"), 10, "/20260101/");
  EXPECT_EQ(told(request.set("authorization", header)),
            refusal(Refusal::kInvalidSignature,
                    "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
                    "'20260101' != '20260102', from '20260102T030405Z'."));
}

TEST_F(Verified, WantsTheHostToBeSigned) {
  Request request;
  request.names = "x-amz-date";
  EXPECT_EQ(told(request.sign()), refusal(Refusal::kInvalidSignature,
                                          "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."));
}

// Else what is hashed and shown would be as many times the head as its list has names.
TEST_F(Verified, TakesEachSignedHeaderOnce) {
  const auto twice = [](std::string_view name) {
    return refusal(Refusal::kInvalidSignature,
                   "'SignedHeaders' names '" + std::string(name) + "' more than once in the AWS Authorization.");
  };
  const auto with = [&](std::string names) {
    Request request;
    request.names = std::move(names);
    return told(request.sign());
  };
  EXPECT_EQ(with("host;x-amz-date;x-amz-target;x-two;x-two"), twice("x-two"));
  EXPECT_EQ(with("host;host;x-amz-date;x-amz-target"), twice("host"));
  EXPECT_EQ(with("x-two;host;x-amz-date;x-amz-target;x-two"), twice("x-two"));
  EXPECT_EQ(with("host;x-amz-date;x-amz-target;X-Two;;x-two"), twice("X-Two"));
  EXPECT_EQ(with("X-Two;host;x-amz-target;x-amz-date"), "AKIDEXAMPLE") << "another order is another signature";
  std::string many = "host;x-amz-date;x-amz-target";
  for (int i = 3; i < 128; ++i) many += ";x-" + std::to_string(i);
  EXPECT_EQ(with(many), "AKIDEXAMPLE");
  EXPECT_EQ(with(many + ";y"), refusal(Refusal::kInvalidSignature,
                                       "'SignedHeaders' names 129 headers in the AWS Authorization; at most 128 are "
                                       "allowed."));
}

TEST_F(Verified, TakesAQueryOfAFewParameters) {
  Request request;
  request.target = "/?a";
  for (int i = 1; i < 128; ++i) request.target += "&a";
  EXPECT_EQ(told(request.sign()), "AKIDEXAMPLE");
  request.target += "&a";
  EXPECT_EQ(told(request.sign()), refusal(Refusal::kInvalidSignature, "The query has more than 128 parameters."));
}

// Whatever the request before it was.
TEST_F(Verified, WantsWhatItReadsToBeSigned) {
  for (const char* name : {"x-amz-target", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"}) {
    const std::string refused = refusal(
        Refusal::kInvalidSignature, "'" + std::string(name) + "' must be a 'SignedHeader' in the AWS Authorization.");
    Request request;
    request.names = "host";
    for (const char* other : {"x-amz-date", "x-amz-target"}) {
      if (std::string_view(other) != name) request.names += ";" + std::string(other);
    }
    Request plain = request;
    request.set(name, name == std::string_view("x-amz-date") ? std::string(kNow) : "whatever").sign();
    EXPECT_EQ(told(request), refused);
    if (name == std::string_view("x-amz-date")) continue;
    plain.headers.erase(name);
    EXPECT_EQ(told(plain.sign()), "AKIDEXAMPLE") << name;
    Request added = plain;
    added.headers.emplace(name, "whatever");
    EXPECT_EQ(told(added), refused) << name;
  }
}

TEST_F(Verified, RefusesTheAsymmetricForm) {
  Request request = Request().sign();
  std::string header = request.first("authorization");
  header.replace(0, std::string_view("AWS4-HMAC-SHA256").size(), "AWS4-ECDSA-P256-SHA256");
  EXPECT_EQ(told(request.set("authorization", header)),
            refusal(Refusal::kIncompleteSignature,
                    "Unsupported AWS 'algorithm': 'AWS4-ECDSA-P256-SHA256' (only AWS4-HMAC-SHA256 for now). "));
}

TEST_F(Verified, LetsTheBodyBeUnsignedIfThatIsSigned) {
  Request request;
  request.names = "host;x-amz-content-sha256;x-amz-date;x-amz-target";
  request.set("x-amz-content-sha256", "UNSIGNED-PAYLOAD").sign();
  request.body = "another";
  EXPECT_EQ(told(request), "AKIDEXAMPLE");
  request.set("x-amz-content-sha256", "e3b0");
  EXPECT_NE(told(request), "AKIDEXAMPLE");
  Request unsigned_header = Request().sign();
  unsigned_header.set("x-amz-content-sha256", "UNSIGNED-PAYLOAD");
  EXPECT_NE(told(unsigned_header), "AKIDEXAMPLE");
  unsigned_header.body = "another";
  EXPECT_NE(told(unsigned_header), "AKIDEXAMPLE");
}

TEST_F(Verified, TakesAPresignedQueryWhileItLasts) {
  const auto presigned = [&](std::string_view lifetime) {
    Request request;
    request.headers.erase("x-amz-date");
    const std::string scope = "20260102/eu-west-3/dynamodb/aws4_request";
    request.target =
        "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20260102%2Feu-west-3%2Fdynamodb"
        "%2Faws4_request&X-Amz-Date=20260102T030405Z&X-Amz-SignedHeaders=host%3Bx-amz-target&a=b%20c" +
        std::string(lifetime.empty() ? "" : "&X-Amz-Expires=") + std::string(lifetime);
    std::string signature;
    SignedTexts texts;
    write_texts(request.facts(), {"host;x-amz-target", kNow, scope, true}, texts);
    append_hex(signature, signing_key("a secret", "20260102", "eu-west-3").sign(texts.to_sign));
    request.target += "&X-Amz-Signature=" + signature;
    return request;
  };
  EXPECT_EQ(told(presigned("")), "AKIDEXAMPLE");
  EXPECT_EQ(told(presigned("60")), "AKIDEXAMPLE");
  for (const char* lifetime : {"0", "604801", "x", "-1", "99999999999999999999"}) {
    EXPECT_NE(told(presigned(lifetime)).find("X-Amz-Expires must be"), std::string::npos) << lifetime;
  }
  Request altered = presigned("60");
  altered.target.replace(altered.target.find("a=b"), 3, "a=d");
  EXPECT_NE(told(altered).find(kMismatch), std::string::npos);
  clock_.advance_ms(61'000);
  EXPECT_NE(told(presigned("60")).find("(20260102T030506Z - 1 min.)"), std::string::npos);
}

}  // namespace
}  // namespace partita::auth
