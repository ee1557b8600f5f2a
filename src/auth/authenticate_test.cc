#include "auth/authenticate.h"

#include <gtest/gtest.h>

#include <map>

namespace partita::auth {
namespace {

constexpr std::string_view kGood =
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-west-3/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=0123abcd";

// Null when it was refused.
const Caller* caller_in(const Verdict& verdict) {
  const auto* caller = std::get_if<std::shared_ptr<const Caller>>(&verdict);
  return caller == nullptr ? nullptr : caller->get();
}

using Headers = std::map<std::string, std::string, std::less<>>;

Verdict ask(Authenticator& authenticator, const Headers& headers, std::string_view target = "/") {
  const Facts facts{"POST", target,
                    [&](std::string_view name, size_t place) {
                      const auto found = headers.find(name);
                      const bool there = found != headers.end() && place == 0;
                      return there ? std::optional<std::string_view>(found->second) : std::nullopt;
                    },
                    "{}"};
  return verify(authenticator.claim(facts), facts);
}

// One who has taken nobody yet.
Verdict ask(const Headers& headers, std::string_view target = "/") {
  Authenticator fresh;
  return ask(fresh, headers, target);
}

Verdict ask_header(std::string_view authorization) {
  return ask({{"authorization", std::string(authorization)}, {"x-amz-date", "20260102T000000Z"}});
}

void expect_refused(const Verdict& verdict, Refusal why, std::string_view detail) {
  const auto* refused = std::get_if<Refused>(&verdict);
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->why, why);
  EXPECT_EQ(refused->detail, detail);
}

TEST(Authenticate, TakesTheHeaderForm) {
  const Verdict verdict = ask_header(kGood);
  const auto* caller = caller_in(verdict);
  ASSERT_NE(caller, nullptr);
  EXPECT_EQ(caller->access_key_id, "AKIDEXAMPLE");
  EXPECT_EQ(caller->region, "eu-west-3");
  EXPECT_EQ(caller->account_id, "123456789012");
}

TEST(Authenticate, KnowsSignaturesForDax) {
  const Verdict verdict = ask_header(
      "AWS4-HMAC-SHA256 Credential=a/b/local/dax/aws4_request, SignedHeaders=host, Signature=c");
  ASSERT_TRUE(caller_in(verdict));
  EXPECT_EQ(caller_in(verdict)->signed_for, SignedFor::kDax);
  EXPECT_EQ(wrong_service(SignedFor::kDax), "Credential should be scoped to correct service: 'dax'. ");
}

TEST(Authenticate, TakesCommasWithoutSpacesAndAPlainDate) {
  const Verdict verdict = ask(
      {{"authorization", "AWS4-HMAC-SHA256 Credential=a/b/local/dynamodb/aws4_request/,SignedHeaders=host,Signature=c"},
       {"date", "today"}});
  ASSERT_TRUE(caller_in(verdict));
  EXPECT_EQ(caller_in(verdict)->region, "local");
}

// Whatever was taken before, each header is judged as if it was the first.
TEST(Authenticate, JudgesEachHeaderAlikeAfterEachOther) {
  const std::string good(kGood);
  const auto with = [&](std::string_view part, std::string_view instead) {
    std::string text = good;
    return text.replace(text.find(part), part.size(), instead);
  };
  const std::vector<Headers> requests = {
      {{"authorization", good}, {"x-amz-date", "now"}},
      {{"authorization", good}},
      {{"authorization", good}, {"date", "now"}},
      {{"authorization", with("0123abcd", "f00d")}, {"x-amz-date", "now"}},
      {{"authorization", with("0123abcd", "")}, {"x-amz-date", "now"}},
      {{"authorization", with("0123abcd", "a b")}, {"x-amz-date", "now"}},
      {{"authorization", with("0123abcd", "a,b")}, {"x-amz-date", "now"}},
      {{"authorization", with("0123abcd", "a,b=c")}, {"x-amz-date", "now"}},
      {{"authorization", with("AKIDEXAMPLE", "AKIDEXAMPLES")}, {"x-amz-date", "now"}},
      {{"authorization", with("eu-west-3", "eu-west-4")}, {"x-amz-date", "now"}},
      {{"authorization", with("dynamodb", "s3")}, {"x-amz-date", "now"}},
      {{"authorization", good + "\t"}, {"x-amz-date", "now"}},
      {{"x-amz-date", "now"}},
  };
  const auto tell = [](const Verdict& verdict) {
    if (const auto* caller = caller_in(verdict)) return caller->access_key_id + " " + caller->region;
    return std::get<Refused>(verdict).detail;
  };
  for (const Headers& before : requests) {
    for (const Headers& request : requests) {
      for (const char* target : {"/", "/?a=b", "/?X-Amz-Algorithm=AWS4-HMAC-SHA256"}) {
        Authenticator authenticator;
        ask(authenticator, before);
        EXPECT_EQ(tell(ask(authenticator, request, target)), tell(ask(request, target)));
      }
    }
  }
}

TEST(Authenticate, TakesThePresignedForm) {
  const Verdict verdict =
      ask({},
          "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=key%2F20260102%2Fus-east-1%2Fdynamodb%2Faws4_request"
          "&X-Amz-Date=20260102T000000Z&X-Amz-SignedHeaders=host&X-Amz-Signature=ab");
  ASSERT_TRUE(caller_in(verdict));
  EXPECT_EQ(caller_in(verdict)->access_key_id, "key");
  EXPECT_EQ(caller_in(verdict)->region, "us-east-1");
}

TEST(Authenticate, MissesTheToken) {
  expect_refused(ask({}), Refusal::kMissingToken, "");
  expect_refused(ask_header("Basic abc"), Refusal::kMissingToken, "");
  expect_refused(ask_header("AWS4"), Refusal::kMissingToken, "");
  expect_refused(ask({}, "/?X-Amz-Credential=a"), Refusal::kMissingToken, "");
}

TEST(Authenticate, RefusesBothFormsAtOnce) {
  expect_refused(ask({{"authorization", "X"}}, "/?X-Amz-Algorithm"), Refusal::kInvalidSignature,
                 "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
}

TEST(Authenticate, NamesWhatTheHeaderLacks) {
  expect_refused(ask({{"authorization", "AWS4-"}}), Refusal::kIncompleteSignature,
                 "Authorization header requires 'Credential' parameter. "
                 "Authorization header requires 'Signature' parameter. "
                 "Authorization header requires 'SignedHeaders' parameter. "
                 "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
                 "Authorization=AWS4-");
  expect_refused(ask_header("AWS4-HMAC-SHA256 Signature=b, Credential"), Refusal::kIncompleteSignature,
                 "'Credential' not a valid key=value pair (missing equal-sign) in Authorization header: "
                 "'AWS4-HMAC-SHA256 Signature=b, Credential'.");
}

TEST(Authenticate, NamesWhatTheQueryLacks) {
  expect_refused(ask({}, "/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d"),
                 Refusal::kIncompleteSignature,
                 "AWS query-string parameters must include 'X-Amz-SignedHeaders'. "
                 "Re-examine the query-string parameters.");
  for (const std::string_view missing : {"Credential", "Signature", "SignedHeaders", "Date"}) {
    std::string query = "/?X-Amz-Algorithm=AWS4-HMAC-SHA256";
    for (const std::string_view name : {"Credential", "Signature", "SignedHeaders", "Date"}) {
      if (name != missing) query.append("&X-Amz-").append(name).append("=key/date/us-east-1/dynamodb/aws4_request");
    }
    expect_refused(ask({}, query), Refusal::kIncompleteSignature,
                   "AWS query-string parameters must include 'X-Amz-" + std::string(missing) +
                       "'. Re-examine the query-string parameters.");
  }
}

TEST(Authenticate, NeedsEveryPartOfAPresignedQuery) {
  const std::map<std::string, std::string> parts = {{"X-Amz-Algorithm", "AWS4-HMAC-SHA256"},
                                                    {"X-Amz-Credential", "a/20260102/us-east-1/dynamodb/aws4_request"},
                                                    {"X-Amz-Date", "20260102T000000Z"},
                                                    {"X-Amz-SignedHeaders", "host"},
                                                    {"X-Amz-Signature", "ab"}};
  const auto query_without = [&](std::string_view left_out, std::string_view instead) {
    std::string query = "/?";
    for (const auto& [name, value] : parts) {
      if (name != left_out) query += name + "=" + value + "&";
    }
    return query.append(instead);
  };
  EXPECT_TRUE(caller_in(ask({}, query_without("", ""))));
  for (const auto& [name, value] : parts) {
    const std::string detail =
        "AWS query-string parameters must include '" + name + "'. Re-examine the query-string parameters.";
    if (name != "X-Amz-Algorithm") {  // without it the query is not a presigned one
      expect_refused(ask({}, query_without(name, "")), Refusal::kIncompleteSignature, detail);
    }
    expect_refused(ask({}, query_without(name, name + "=")), Refusal::kIncompleteSignature, detail);
  }
  // A header does not stand in for a part of the query.
  expect_refused(ask({{"x-amz-date", "20260102T000000Z"}}, query_without("X-Amz-Date", "")),
                 Refusal::kIncompleteSignature,
                 "AWS query-string parameters must include 'X-Amz-Date'. Re-examine the query-string parameters.");
}

TEST(Authenticate, ChecksAlgorithmAndScope) {
  expect_refused(ask_header("AWS4-HMAC-SHA25 Credential=a/b/c/dynamodb/aws4_request, SignedHeaders=h, Signature=s"),
                 Refusal::kIncompleteSignature,
                 "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ");
  expect_refused(ask_header("AWS4-HMAC-SHA256 Credential=a/b/c/d, SignedHeaders=h, Signature=s"),
                 Refusal::kIncompleteSignature,
                 "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got "
                 "'a/b/c/d'");
  expect_refused(ask_header("AWS4-HMAC-SHA256 Credential=a/b//s3/e, SignedHeaders=h, Signature=s"),
                 Refusal::kInvalidSignature,
                 "Credential should be scoped to a valid region, not ''. "
                 "Credential should be scoped to correct service: 'dynamodb'. "
                 "Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. ");
}

// The form that all SDKs send is read by a short way of its own: whatever it refuses or takes, the long way does too.
TEST(Authenticate, ReadsTheUsualFormAsAnyOther) {
  const std::string scopes[] = {"k/d/eu-west-3/dynamodb/aws4_request",
                                "k/d/eu-west-3/dynamodb/aws4_request//",
                                "k/d/eu-west-3/s3/aws4_request",
                                "k/d/eu west/dynamodb/aws4_request",
                                "k/d/eu-west-3/dynamodb",
                                "k/d/e/dynamodb/aws4_request/more",
                                "k/d/not.a.region/dynamodb/aws4_query",
                                "a=b/d/r/dynamodb/aws4_request",
                                "/////",
                                ""};
  for (const std::string& scope : scopes) {
    const auto in_order = [&](std::string_view between) {
      return "AWS4-HMAC-SHA256 Credential=" + scope + std::string(between) + "SignedHeaders=h" + std::string(between) +
             "Signature=s";
    };
    const Verdict usual = ask_header(in_order(", "));
    const Verdict dense = ask_header(in_order(","));
    const Verdict other = ask_header(in_order(" ,\t"));
    const auto* caller = caller_in(other);
    for (const Verdict& verdict : {usual, dense}) {
      ASSERT_EQ(verdict.index(), other.index()) << scope;
      if (caller != nullptr) {
        EXPECT_EQ(caller_in(verdict)->access_key_id, caller->access_key_id);
        EXPECT_EQ(caller_in(verdict)->region, caller->region);
      } else {
        EXPECT_EQ(std::get<Refused>(verdict).why, std::get<Refused>(other).why) << scope;
      }
    }
  }
}

TEST(Authenticate, SurvivesAnyCutOfAGoodHeader) {
  for (size_t size = 0; size < kGood.size(); ++size) {
    static_cast<void>(ask_header(kGood.substr(0, size)));
    static_cast<void>(ask({}, std::string("/?X-Amz-Algorithm=%") + std::string(kGood.substr(size))));
  }
}

}  // namespace
}  // namespace partita::auth
