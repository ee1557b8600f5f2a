#include "dax/authorisation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "auth/account.h"
#include "auth/sha256.h"
#include "auth/signature.h"
#include "auth/text_util.h"

namespace partita::dax {

namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kService = "dax";
constexpr size_t kMaxKeyId = 128;  // AWS's limit

auth::Refused incomplete(std::string detail) { return {auth::Refusal::kIncompleteSignature, std::move(detail)}; }
auth::Refused invalid(std::string detail) { return {auth::Refusal::kInvalidSignature, std::move(detail)}; }
auth::Refused unknown() {
  return {auth::Refusal::kUnrecognizedClient, "The security token included in the request is invalid."};
}

// The four lines of a string-to-sign, and the parts of its scope.
struct SignedLines {
  std::string_view date;    // "20260102T030405Z"
  std::string_view digest;  // of the canonical request
  std::string_view day, region, service, terminator;
};

// Splits `text` into exactly `parts`. False: there are more or fewer.
template <size_t kCount>
bool split_all(std::string_view text, char separator, std::array<std::string_view, kCount>& parts) {
  for (size_t i = 0; i < kCount; ++i) {
    const size_t end = std::min(text.find(separator), text.size());
    if ((end == text.size()) != (i + 1 == kCount)) return false;
    parts[i] = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

std::optional<SignedLines> read_lines(std::string_view string_to_sign) {
  std::array<std::string_view, 4> lines;
  std::array<std::string_view, 4> scope;
  if (!split_all(string_to_sign, '\n', lines) || lines[0] != kAlgorithm) return std::nullopt;
  if (!split_all(lines[2], '/', scope)) return std::nullopt;
  return SignedLines{lines[1], lines[3], scope[0], scope[1], scope[2], scope[3]};
}

bool is_key_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxKeyId &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '/'; });
}

std::string hex_digest(std::string_view text) {
  std::string hex;
  auth::append_hex(hex, auth::sha256(text));
  return hex;
}

// The hash of a canonical request. Only date and host differ: Go's client signs a URL as the host.
bool is_canonical(const SignedLines& lines) {
  static const std::string empty_body = hex_digest({});
  return std::ranges::any_of(std::array<std::string_view, 2>{"", "https://"}, [&](std::string_view scheme) {
    std::string text = "POST\n/\n\nhost:";
    text.append(scheme).append("dax.amazonaws.com\nx-amz-date:").append(lines.date);
    text.append("\n\nhost;x-amz-date\n").append(empty_body);
    return hex_digest(text) == lines.digest;
  });
}

bool is_expired(const auth::AccessKey& key, const auth::Keys& keys) {
  return key.expires_ms != 0 && keys.now_ms() >= key.expires_ms;
}

std::shared_ptr<const auth::Caller> caller_of(auth::Caller caller, const auth::AccessKey& key, const auth::Keys& keys) {
  caller.identity = key.identity;
  caller.temporary = key.expires_ms != 0;
  caller.keys = &keys;
  return std::make_shared<const auth::Caller>(std::move(caller));
}

// What is wrong with the lines, if signatures are verified.
std::optional<auth::Refused> check_lines(const SignedLines& lines, int64_t now_ms) {
  const auto at = auth::seconds_of_date(lines.date);
  if (!at) return incomplete("Date must be in ISO-8601 'basic format'. Got '" + std::string(lines.date) + "'.");
  const int64_t age_ms = now_ms - *at * 1000;
  if (age_ms > Authorisation::kMaxSkewMs) {
    return invalid("Signature expired: " + std::string(lines.date) + " is more than 15 minutes ago.");
  }
  if (-age_ms > Authorisation::kMaxSkewMs) {
    return invalid("Signature not yet current: " + std::string(lines.date) + " is more than 15 minutes ahead.");
  }
  if (lines.day != lines.date.substr(0, 8)) {
    return invalid("Date in Credential scope does not match YYYYMMDD of the date of the signature: '" +
                   std::string(lines.day) + "' != '" + std::string(lines.date.substr(0, 8)) + "'.");
  }
  if (!is_canonical(lines)) return invalid("The string to sign is not that of a connection to dax.amazonaws.com.");
  return std::nullopt;
}

}  // namespace

void Authorisation::prove(const Proof& proof) {
  key_.reset();
  lapsed_ = false;
  verdict_ = check(proof);
  ends_ns_ = verifier_.clock.monotonic_ns() + kLifetimeMs * kNsPerMs;
}

auth::Verdict Authorisation::check(const Proof& proof) {
  const auto lines = read_lines(proof.string_to_sign);
  if (!lines) return incomplete("The string to sign of authorizeConnection is not one of AWS4-HMAC-SHA256.");
  if (!is_key_id(proof.access_key_id)) return incomplete("authorizeConnection has no valid access key id.");
  if (!auth::is_region(lines->region)) {
    return invalid("Credential should be scoped to a valid region, not '" + std::string(lines->region) + "'. ");
  }
  if (lines->service != kService) return invalid(auth::wrong_service(auth::SignedFor::kDax));
  if (lines->terminator != "aws4_request") {
    return invalid("Credential should be scoped with a valid terminator: 'aws4_request', not '" +
                   std::string(lines->terminator) + "'. ");
  }
  auth::Caller caller{std::string(proof.access_key_id),
                      std::string(verifier_.region.empty() ? lines->region : verifier_.region),
                      std::string(auth::kAccountId)};
  caller.signed_for = auth::SignedFor::kDax;
  if (verifier_.keys == nullptr) return std::make_shared<const auth::Caller>(std::move(caller));
  if (auto refused = check_lines(*lines, verifier_.clock.now_ms())) return *std::move(refused);
  revision_ = verifier_.keys->revision();
  auto key = verifier_.keys->find(proof.access_key_id, proof.session_token);
  if (key == nullptr) return unknown();
  if (is_expired(*key, *verifier_.keys)) return auth::Refused{auth::Refusal::kExpiredToken, {}};
  const auth::HmacKey signing = auth::signing_key(key->secret, lines->day, lines->region, kService);
  std::string expected;
  auth::append_hex(expected, signing.sign(proof.string_to_sign));
  if (!auth::same_secret(expected, proof.signature)) {
    return invalid(
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access "
        "Key and signing method.");
  }
  if (!auth::same_secret(proof.session_token, key->session_token)) return unknown();
  auto verified = caller_of(std::move(caller), *key, *verifier_.keys);
  session_token_ = proof.session_token;
  key_ = std::move(key);
  return verified;
}

// The keys have changed: this one may have been deleted since, or its owner may have other policies.
void Authorisation::look_again() {
  revision_ = verifier_.keys->revision();
  const auto& known = *std::get<std::shared_ptr<const auth::Caller>>(verdict_);
  auto key = verifier_.keys->find(known.access_key_id, session_token_);
  if (key == nullptr || !auth::same_secret(key->secret, key_->secret)) {
    verdict_ = unknown();
    key_.reset();
    return;
  }
  verdict_ = caller_of(known, *key, *verifier_.keys);
  key_ = std::move(key);
}

const auth::Verdict& Authorisation::verdict(int64_t now_ns) {
  if (std::holds_alternative<auth::Refused>(verdict_)) return verdict_;
  if (now_ns >= ends_ns_) {
    key_.reset();
    lapsed_ = true;
    verdict_ = invalid("Signature expired: the authorization of this connection ended 10 minutes after its signature.");
    return verdict_;
  }
  if (key_ == nullptr) return verdict_;
  if (verifier_.keys->revision() != revision_) [[unlikely]]
    look_again();
  if (key_ != nullptr && is_expired(*key_, *verifier_.keys)) {
    key_.reset();
    verdict_ = auth::Refused{auth::Refusal::kExpiredToken, {}};
  }
  return verdict_;
}

}  // namespace partita::dax
