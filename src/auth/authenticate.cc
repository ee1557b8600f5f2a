#include "auth/authenticate.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "auth/identities.h"
#include "auth/text_util.h"
#include "base/per_thread.h"

namespace partita::auth {

// What a request says of its signature, in the header or in the query.
struct Authenticator::Parts {
  std::string_view algorithm;
  std::string_view credential;
  std::string_view signed_headers;
  std::string_view signature;
  std::string_view date;
  std::string_view session_token;
  std::string_view lifetime;  // X-Amz-Expires
  bool presigned = false;
};

// "AKID/20260102/us-east-1/dynamodb/aws4_request"; slashes at the end do not count.
struct CredentialScope {
  std::string_view key, day, region, service, terminator;
};

namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

using Pair = std::pair<std::string_view, std::string_view>;
using Pairs = std::vector<Pair>;

Refused incomplete(std::string detail) { return {Refusal::kIncompleteSignature, std::move(detail)}; }
Refused invalid(std::string detail) { return {Refusal::kInvalidSignature, std::move(detail)}; }

std::optional<std::string_view> find(const Pairs& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::optional<CredentialScope> read_credential(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  std::array<std::string_view, 5> parts;
  size_t slashes = 0;
  for (size_t end = 0; slashes < parts.size() && (end = text.find('/')) != std::string_view::npos; ++slashes) {
    parts[slashes] = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  if (slashes + 1 != parts.size()) return std::nullopt;
  parts.back() = text;
  return CredentialScope{parts[0], parts[1], parts[2], parts[3], parts[4]};
}

struct ServiceName {
  SignedFor service;
  std::string_view name;
};
constexpr std::array kServices = {ServiceName{SignedFor::kDynamoDb, kDynamoDbName},
                                  ServiceName{SignedFor::kAutoScaling, "application-autoscaling"},
                                  ServiceName{SignedFor::kIam, "iam"},
                                  ServiceName{SignedFor::kSts, "sts"},
                                  ServiceName{SignedFor::kMonitoring, "monitoring"},
                                  ServiceName{SignedFor::kDax, "dax"}};

SignedFor service_named(std::string_view name) {
  const auto* const found = std::ranges::find(kServices, name, &ServiceName::name);
  return found == kServices.end() ? SignedFor::kAny : found->service;
}

// What is wrong with it; `date` is that of the request, or empty when nobody verifies it. `form`: it is a call of IAM
// or STS.
std::string wrong_with(const CredentialScope& credential, std::string_view date, bool form) {
  std::string wrong;
  if (!is_region(credential.region)) {
    wrong += "Credential should be scoped to a valid region, not '" + std::string(credential.region) + "'. ";
  }
  if (service_named(credential.service) == SignedFor::kAny) {
    wrong += wrong_service(form ? SignedFor::kIam : SignedFor::kDynamoDb);
  }
  if (credential.terminator != "aws4_request") {
    wrong += "Credential should be scoped with a valid terminator: 'aws4_request', not '" +
             std::string(credential.terminator) + "'. ";
  }
  const std::string_view day = date.substr(0, 8);
  if (!date.empty() && credential.day != day) {
    wrong += "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '" +
             std::string(credential.day) + "' != '" + std::string(day) + "', from '" + std::string(date) + "'.";
  }
  return wrong;
}

// --- time

constexpr int64_t kSkewSeconds = 300;  // AWS's, as seen in answers of DynamoDB since 2024; 900 before
constexpr int64_t kMostLifetime = 604'800;

std::string date_of(int64_t seconds) {
  std::string text;
  const auto whole = utc_text(seconds * 1000);
  for (const char c : std::string_view(whole.data()).substr(0, 19)) {
    if (c != '-' && c != ':') text.push_back(c);
  }
  return text + "Z";
}

std::string span_of(int64_t seconds) {
  return seconds % 60 == 0 ? std::to_string(seconds / 60) + " min." : std::to_string(seconds) + " sec.";
}

// Whether a request of that moment may be answered now; if not, why not.
std::optional<Refused> check_date(std::string_view date, std::string_view lifetime, int64_t now) {
  const auto at = seconds_of_date(date);
  if (!at) {
    return incomplete("Date must be in ISO-8601 'basic format'. Got '" + std::string(date) +
                      "'. See http://en.wikipedia.org/wiki/ISO_8601");
  }
  int64_t allowed = kSkewSeconds;
  if (!lifetime.empty()) {
    const auto seconds = lifetime.size() > 6 ? std::nullopt : number_of_digits(lifetime);
    if (!seconds || *seconds == 0 || *seconds > kMostLifetime) {
      return incomplete("X-Amz-Expires must be a number of seconds from 1 to 604800, not '" + std::string(lifetime) +
                        "'.");
    }
    allowed = *seconds;
  }
  if (*at < now - allowed) {
    return invalid("Signature expired: " + std::string(date) + " is now earlier than " + date_of(now - allowed) + " (" +
                   date_of(now) + " - " + span_of(allowed) + ")");
  }
  if (*at > now + kSkewSeconds) {
    return invalid("Signature not yet current: " + std::string(date) + " is still later than " +
                   date_of(now + kSkewSeconds) + " (" + date_of(now) + " + " + span_of(kSkewSeconds) + ")");
  }
  return std::nullopt;
}

// --- the header

bool is_whole(std::string_view parameter) {
  const auto lacks = [&](char c) { return parameter.find(c) == std::string_view::npos; };
  return !parameter.empty() && lacks(',') && lacks(' ') && lacks('\t');
}

// The three parameters in their order, as the SDKs write them, ", " or "," between them. Nothing for every other
// header, whatever is right or wrong with it.
std::optional<std::array<std::string_view, 3>> read_usual(std::string_view authorization) {
  constexpr std::array<std::string_view, 3> kNames = {"Credential=", "SignedHeaders=", "Signature="};
  if (!authorization.starts_with(kAlgorithm)) return std::nullopt;
  authorization.remove_prefix(kAlgorithm.size());
  if (!authorization.starts_with(' ')) return std::nullopt;
  std::array<std::string_view, 3> values;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (authorization.starts_with(' ')) authorization.remove_prefix(1);
    if (!authorization.starts_with(kNames[i])) return std::nullopt;
    authorization.remove_prefix(kNames[i].size());
    const size_t end = std::min(authorization.find(','), authorization.size());
    if ((end == authorization.size()) != (i + 1 == kNames.size())) return std::nullopt;
    values[i] = authorization.substr(0, end);
    authorization.remove_prefix(std::min(end + 1, authorization.size()));
  }
  if (!std::ranges::all_of(values, is_whole)) return std::nullopt;
  return values;
}

// The parameters of any header, and what is wrong with it.
std::string read_unusual(const Facts& facts, std::string_view authorization, Pairs& pairs) {
  std::string wrong;
  const auto is_separator = [](char c) { return c == ',' || c == ' ' || c == '\t'; };
  split(authorization.substr(std::min(authorization.find(' '), authorization.size())), is_separator,
        [&](std::string_view part) {
          if (wrong.empty() && part.find('=') == std::string_view::npos) {
            wrong = "'" + std::string(part) +
                    "' not a valid key=value pair (missing equal-sign) in Authorization header: '" +
                    std::string(authorization) + "'.";
          }
          pairs.push_back(split_pair(part));
        });
  if (!wrong.empty()) return wrong;
  for (const std::string_view name : {"Credential", "Signature", "SignedHeaders"}) {
    if (find(pairs, name).value_or("").empty()) {
      wrong += "Authorization header requires '" + std::string(name) + "' parameter. ";
    }
  }
  if (facts.header("x-amz-date").empty() && facts.header("date").empty()) {
    wrong += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  }
  return wrong.empty() ? wrong : wrong + "Authorization=" + std::string(authorization);
}

// The headers that the server makes something of; AWS wants its own to be signed where they are.
constexpr std::array<std::string_view, 5> kToBeSigned = {"x-amz-target", "x-amz-date", "x-amz-security-token",
                                                         "x-amz-content-sha256", "x-partita-namespace"};

bool has_header(const Facts& facts, std::string_view name) { return facts.values(name, 0).has_value(); }

// As many as a request has headers.
constexpr size_t kMostSignedHeaders = 128;
constexpr int kMostParameters = 128;  // of a query

// What is wrong with the list of signed headers, or nothing. With each name once, the canonical request is no longer
// than the head is, give or take percent signs.
std::string wrong_with_names(std::string_view names) {
  const auto precedes = [](std::string_view a, std::string_view b) {
    return std::ranges::lexicographical_compare(a, b, {}, lower, lower);
  };
  size_t count = 0;
  bool ascending = true;
  std::string_view last;
  split(names, ';', [&](std::string_view name) {
    ascending = ascending && precedes(last, name);
    last = name;
    ++count;
  });
  if (count > kMostSignedHeaders) {
    return "'SignedHeaders' names " + std::to_string(count) + " headers in the AWS Authorization; at most " +
           std::to_string(kMostSignedHeaders) + " are allowed.";
  }
  if (ascending) return {};
  std::vector<std::string_view> sorted;
  split(names, ';', [&](std::string_view name) { sorted.push_back(name); });
  std::ranges::sort(sorted, precedes);
  const auto equal = [&](std::string_view a, std::string_view b) { return !precedes(a, b); };
  const auto twice = std::ranges::adjacent_find(sorted, equal);
  if (twice == sorted.end()) return {};
  return "'SignedHeaders' names '" + std::string(*twice) + "' more than once in the AWS Authorization.";
}

bool is_over(const AccessKey& key, const Keys& keys) { return key.expires_ms != 0 && keys.now_ms() >= key.expires_ms; }

}  // namespace

bool is_form(std::string_view content_type) { return content_type.starts_with("application/x-www-form-urlencoded"); }

std::string wrong_service(SignedFor needed) {
  const auto* const found = std::ranges::find(kServices, needed, &ServiceName::service);
  return "Credential should be scoped to correct service: '" + std::string(found->name) + "'. ";
}

// The very header of the last request but for its signature; null if it is another, or too late.
const Claim* Authenticator::last_if_same(const Facts& facts, std::string_view authorization) {
  if (opening_.empty() || !authorization.starts_with(opening_)) return nullptr;
  const std::string_view signature = authorization.substr(opening_.size());
  const std::string_view date = facts.header("x-amz-date");
  if (!is_whole(signature) || date.empty()) return nullptr;
  if (keys_ == nullptr) return &last_;
  if (std::ranges::any_of(unsigned_, [&](std::string_view name) { return has_header(facts, name); })) return nullptr;
  if (date.substr(0, 8) != day_ || check_date(date, {}, clock_->now_ms() / 1000)) return nullptr;
  if (is_over(*last_.signer->key, *keys_)) return nullptr;
  last_.what.headers = authorization.substr(headers_at_, last_.what.headers.size());
  last_.what.date = date;
  last_.signature = signature;
  last_.session_token = facts.header("x-amz-security-token");
  return &last_;
}

// Whose keys were remembered may have lost them since.
void Authenticator::forget_if_changed() {
  if (keys_ == nullptr || keys_->revision() == revision_) return;
  revision_ = keys_->revision();
  opening_.clear();
  signers_.clear();
}

// Null for an unknown access key.
std::shared_ptr<const Signer> Authenticator::signer_of(const CredentialScope& scope, std::string_view session_token) {
  constexpr size_t kMostKnown = 256;
  Caller caller{std::string(scope.key), std::string(region_.empty() ? scope.region : region_), std::string(kAccountId)};
  caller.signed_for = service_named(scope.service);
  if (keys_ == nullptr) return std::make_shared<Signer>(Signer{std::move(caller), std::nullopt});
  std::string holds = scope_of(scope.day, scope.region, scope.service);
  const std::string name = caller.access_key_id + "/" + holds;
  if (const auto known = signers_.find(name); known != signers_.end()) return known->second;
  std::shared_ptr<const AccessKey> key = keys_->find(scope.key, session_token);
  if (key == nullptr) return nullptr;
  caller.identity = key->identity;
  caller.temporary = key->expires_ms != 0;
  caller.keys = keys_;
  const HmacKey signing = signing_key(key->secret, scope.day, scope.region, scope.service);
  Signer::Secret secret{std::move(holds), signing, key->session_token};
  auto signer = std::make_shared<Signer>(Signer{std::move(caller), std::move(secret), std::move(key)});
  if (signers_.size() >= kMostKnown) signers_.clear();
  signers_.emplace(name, signer);
  return signer;
}

Claimed Authenticator::judge(const Facts& facts, const Parts& parts) {
  const bool verified = keys_ != nullptr;
  if (verified) {
    if (auto refused = check_date(parts.date, parts.lifetime, clock_->now_ms() / 1000)) return std::move(*refused);
    if (std::string wrong = wrong_with_names(parts.signed_headers); !wrong.empty()) return invalid(std::move(wrong));
    if (std::ranges::count(facts.target, '&') >= std::ptrdiff_t{kMostParameters}) {  // each is sorted to be signed
      return invalid("The query has more than " + std::to_string(kMostParameters) + " parameters.");
    }
    if (!names_header(parts.signed_headers, "host")) {
      return invalid("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
    }
    for (const std::string_view name : kToBeSigned) {
      if (names_header(parts.signed_headers, name) || !has_header(facts, name)) continue;
      return invalid("'" + std::string(name) + "' must be a 'SignedHeader' in the AWS Authorization.");
    }
  }
  if (parts.algorithm != kAlgorithm) {
    return incomplete("Unsupported AWS 'algorithm': '" + std::string(parts.algorithm) +
                      "' (only AWS4-HMAC-SHA256 for now). ");
  }
  const auto credential = read_credential(parts.credential);
  if (!credential) {
    return incomplete(
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '" +
        std::string(parts.credential) + "'");
  }
  std::string wrong =
      wrong_with(*credential, verified ? parts.date : std::string_view(), is_form(facts.header("content-type")));
  if (!wrong.empty()) return invalid(std::move(wrong));
  Claim claim{signer_of(*credential, parts.session_token)};
  if (!claim.signer) {
    return Refused{Refusal::kUnrecognizedClient, "The security token included in the request is invalid."};
  }
  if (!verified) return claim;
  if (is_over(*claim.signer->key, *keys_)) return Refused{Refusal::kExpiredToken, {}};
  claim.what = {parts.signed_headers, parts.date, claim.signer->secret->scope, parts.presigned};
  claim.signature = parts.signature;
  claim.session_token = parts.session_token;
  return claim;
}

Claimed Authenticator::claim_in_header(const Facts& facts, std::string_view authorization) {
  Parts parts;
  parts.date = facts.header("x-amz-date");
  const auto usual = parts.date.empty() ? std::nullopt : read_usual(authorization);
  Pairs pairs;
  if (usual) {
    std::tie(parts.credential, parts.signed_headers, parts.signature) = std::tuple_cat(*usual);
    parts.algorithm = kAlgorithm;
  } else {
    std::string wrong = read_unusual(facts, authorization, pairs);
    if (!wrong.empty()) return incomplete(std::move(wrong));
    parts.algorithm = authorization.substr(0, authorization.find(' '));
    parts.credential = *find(pairs, "Credential");
    parts.signed_headers = *find(pairs, "SignedHeaders");
    parts.signature = *find(pairs, "Signature");
    if (parts.date.empty()) parts.date = facts.header("date");
  }
  parts.session_token = facts.header("x-amz-security-token");
  Claimed claimed = judge(facts, parts);
  const auto* claim = std::get_if<Claim>(&claimed);
  if (usual && claim != nullptr) {
    last_ = *claim;
    opening_ = authorization.substr(0, authorization.size() - parts.signature.size());
    headers_at_ = static_cast<size_t>(parts.signed_headers.data() - authorization.data());
    day_ = parts.date.substr(0, 8);
    unsigned_.clear();
    std::ranges::copy_if(kToBeSigned, std::back_inserter(unsigned_),
                         [&](std::string_view name) { return !names_header(parts.signed_headers, name); });
  }
  return claimed;
}

Claimed Authenticator::claim_in_query(const Facts& facts, const Pairs& query) {
  std::string wrong;
  for (const std::string_view name :
       {"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date"}) {
    if (find(query, name).value_or("").empty()) {
      wrong += "AWS query-string parameters must include '" + std::string(name) + "'. ";
    }
  }
  if (!wrong.empty()) return incomplete(wrong + "Re-examine the query-string parameters.");
  const auto value = [&](std::string_view name) { return find(query, name).value_or(std::string_view()); };
  const auto decoded = std::make_shared<const std::array<std::string, 4>>(std::array<std::string, 4>{
      decode_percent(value("X-Amz-Credential")), decode_percent(value("X-Amz-SignedHeaders")),
      decode_percent(value("X-Amz-Date")), decode_percent(value("X-Amz-Security-Token"))});
  const auto& [credential, signed_headers, date, session_token] = *decoded;
  Claimed claimed = judge(facts, {value("X-Amz-Algorithm"), credential, signed_headers, value("X-Amz-Signature"), date,
                                  session_token, value("X-Amz-Expires"), true});
  if (auto* claim = std::get_if<Claim>(&claimed)) claim->decoded = decoded;
  return claimed;
}

Claimed Authenticator::claim(const Facts& facts) {
  forget_if_changed();
  const std::string_view authorization = trim(facts.header("authorization"));
  const size_t mark = facts.target.find('?');
  if (mark == std::string_view::npos) {
    if (const Claim* const last = last_if_same(facts, authorization)) return *last;
  }
  Pairs query;
  if (mark != std::string_view::npos) {
    split(facts.target.substr(mark + 1), '&', [&](std::string_view part) { query.push_back(split_pair(part)); });
  }
  const bool presigned = find(query, "X-Amz-Algorithm").has_value();
  if (presigned && !authorization.empty()) {
    return invalid("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
  }
  if (presigned) return claim_in_query(facts, query);
  if (!authorization.starts_with("AWS4-")) return Refused{Refusal::kMissingToken, {}};
  return claim_in_header(facts, authorization);
}

namespace {

// Memory that a thread keeps for the next request.
struct SignatureBuffers {
  SignedTexts texts;
  std::string expected;
};

}  // namespace

Verdict verify(const Claimed& claimed, const Facts& facts) {
  if (const auto* refused = std::get_if<Refused>(&claimed)) return *refused;
  const Claim& claim = std::get<Claim>(claimed);
  const auto& secret = claim.signer->secret;
  std::shared_ptr<const Caller> caller(claim.signer, &claim.signer->caller);
  if (!secret) return caller;
  auto& [texts, expected] = PerThread<SignatureBuffers>::get();
  write_texts(facts, claim.what, texts);
  expected.clear();
  append_hex(expected, secret->key.sign(texts.to_sign));
  if (!same_secret(expected, claim.signature)) {
    return invalid(
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access "
        "Key and signing method. Consult the service documentation for details.\n\nThe Canonical String for this "
        "request should have been\n'" +
        texts.canonical + "'\n\nThe String-to-Sign should have been\n'" + texts.to_sign + "'\n");
  }
  if (!same_secret(claim.session_token, secret->session_token)) {
    return Refused{Refusal::kUnrecognizedClient, "The security token included in the request is invalid"};
  }
  return caller;
}

}  // namespace partita::auth
