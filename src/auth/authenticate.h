// Authentication by Signature Version 4, in two steps, since a signature covers the body: claim() needs only the head;
// verify() needs the whole request and may run on any thread.
//
// With Keys, signatures are verified. Without, every well-formed signature is accepted.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "auth/keys.h"
#include "auth/sha256.h"
#include "auth/signature.h"
#include "base/clock.h"

namespace partita::auth {

// The AWS service that a request is signed for; kAny for calls that need no signature.
enum class SignedFor : uint8_t { kAny, kDynamoDb, kAutoScaling, kIam, kSts, kMonitoring, kDax };

struct Caller {
  std::string access_key_id;
  std::string region;                  // of the caller's tables
  std::string account_id;              // twelve digits
  const Identity* identity = nullptr;  // whose policies apply; null: everything is allowed
  SignedFor signed_for = SignedFor::kAny;
  bool temporary = false;      // authenticated by a temporary key
  const Keys* keys = nullptr;  // that verified the caller; null: not verified
};

// Why a request has no Caller, in AWS's categories; `wire` has their names and texts.
enum class Refusal : uint8_t {
  kMissingToken,         // neither an Authorization header nor a presigned query
  kIncompleteSignature,  // a part of the credentials is missing or malformed; `detail` says which, in AWS's words
  kInvalidSignature,     // contradictory, for another service or time, or does not match; `detail` as above
  kUnrecognizedClient,   // an unknown access key, or a wrong session token; `detail` as above
  kExpiredToken,         // an expired temporary key
};

struct Refused {
  Refusal why;
  std::string detail;
};

// Whether a body with that Content-Type is a call of IAM or STS.
bool is_form(std::string_view content_type);
// The message for a request that is signed for another service than `needed`. Precondition: not kAny.
std::string wrong_service(SignedFor needed);

using Verdict = std::variant<std::shared_ptr<const Caller>, Refused>;

// A caller in one credential scope, with the key of its signatures.
struct Signer {
  struct Secret {
    std::string scope;
    HmacKey key;
    std::string session_token;
  };
  Caller caller;
  std::optional<Secret> secret;               // nullopt: signatures are not verified
  std::shared_ptr<const AccessKey> key = {};  // null: the same
};

// The identity that a request claims. Views point into the request's head.
struct Claim {
  std::shared_ptr<const Signer> signer;
  Signed what = {};
  std::string_view signature = {};
  std::string_view session_token = {};
  std::shared_ptr<const std::array<std::string, 4>> decoded =
      {};  // owns what the views point to, if it was in the query
};

using Claimed = std::variant<Claim, Refused>;

struct CredentialScope;

// The checks and their order are AWS's. Remembers the last caller, as most requests come from the same one. For one
// thread.
class Authenticator {
 public:
  // Accepts every well-formed signature.
  Authenticator() = default;
  // The arguments must outlive it. Null keys: as above. `region`: the region of all callers, whatever their requests
  // are signed for; empty: the region that each request is signed for.
  Authenticator(const Keys* keys, const Clock& clock, std::string_view region = {})
      : keys_(keys), clock_(&clock), region_(region) {}

  // From a request's head; the body in `facts` is not used.
  Claimed claim(const Facts& facts);

 private:
  struct Parts;
  const Claim* last_if_same(const Facts& facts, std::string_view authorization);
  Claimed claim_in_header(const Facts& facts, std::string_view authorization);
  Claimed claim_in_query(const Facts& facts, const std::vector<std::pair<std::string_view, std::string_view>>& query);
  Claimed judge(const Facts& facts, const Parts& parts);
  std::shared_ptr<const Signer> signer_of(const CredentialScope& scope, std::string_view session_token);
  void forget_if_changed();

  const Keys* keys_ = nullptr;
  uint64_t revision_ = 0;  // of the remembered keys
  const Clock* clock_ = nullptr;
  std::string_view region_;
  std::string opening_;  // the last caller's header up to the signature
  size_t headers_at_ = 0;
  std::string day_;
  std::vector<std::string_view> unsigned_;  // what the last one did not sign, and may not have therefore
  Claim last_;
  std::map<std::string, std::shared_ptr<const Signer>, std::less<>> signers_;
};

// Verifies the same request, now with its body.
Verdict verify(const Claimed& claimed, const Facts& facts);

}  // namespace partita::auth
