// Measures what a signed request costs to verify: prints nanoseconds of claim() and verify(), and of hashing alone.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "auth/authenticate.h"
#include "auth/credentials.h"
#include "base/check.h"

namespace partita::auth {
namespace {

constexpr std::string_view kDate = "20260102T030405Z";
constexpr int64_t kNowMs = 1'767'323'045'000;
constexpr std::string_view kBody = R"({"TableName":"Bench","Key":{"pk":{"S":"item-00000017"},"sk":{"N":"1"}}})";
constexpr std::string_view kNames = "content-type;host;x-amz-date;x-amz-target";

template <class Run>
void measure(std::string_view name, int times, Run run) {
  double best = 1e9;
  for (int round = 0; round < 9; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) run();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count() / times);
  }
  std::cout << name << ": " << static_cast<int>(best) << " ns\n";
}

void bench(int times) {
  std::map<std::string, std::string, std::less<>> headers{{"host", "localhost:8000"},
                                                          {"content-type", "application/x-amz-json-1.0"},
                                                          {"x-amz-target", "DynamoDB_20120810.GetItem"},
                                                          {"x-amz-date", std::string(kDate)}};
  const Facts facts{"POST", "/",
                    [&](std::string_view name, size_t place) -> std::optional<std::string_view> {
                      const auto found = headers.find(name);
                      if (found == headers.end() || place > 0) return std::nullopt;
                      return found->second;
                    },
                    kBody};
  const std::string scope = scope_of("20260102", "us-east-1");
  const HmacKey key = signing_key("a secret", "20260102", "us-east-1");
  SignedTexts texts;
  write_texts(facts, {kNames, kDate, scope}, texts);
  std::string signature;
  append_hex(signature, key.sign(texts.to_sign));
  headers["authorization"] = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/" + scope +
                             ", SignedHeaders=" + std::string(kNames) + ", Signature=" + signature;
  const Credentials credentials =
      Credentials::parse("[a]\naws_access_key_id=AKIDEXAMPLE\naws_secret_access_key=a secret\n").value();
  const ManualClock clock(kNowMs);
  Authenticator authenticator(&credentials, clock);
  measure("claim", times, [&] { authenticator.claim(facts); });
  const Claimed claimed = authenticator.claim(facts);
  PARTITA_CHECK(std::holds_alternative<std::shared_ptr<const Caller>>(verify(claimed, facts)));
  measure("verify", times, [&] { verify(claimed, facts); });
  measure("both", times, [&] { verify(authenticator.claim(facts), facts); });
  measure("hashing alone", times, [&] {
    sha256(kBody);
    sha256(texts.canonical);
    key.sign(texts.to_sign);
  });
}

}  // namespace
}  // namespace partita::auth

int main(int count, char** words) {
  partita::auth::bench(count > 1 ? std::atoi(words[1]) : 200'000);
  return 0;
}
