// Who is asking, by Signature Version 4. It takes two steps, since a signature covers the body: claim() needs only the
// head, and verify() needs all of the request and can be done on any thread.
//
// With Keys a signature is verified; without, any well-formed one is taken at its word.
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

// Which of AWS's services a request is signed for; kAny for calls that nobody had to sign.
enum class SignedFor : uint8_t { kAny, kDynamoDb, kIam, kSts };

struct Caller {
  std::string access_key_id;
  std::string region;                  // that his tables are in
  std::string account_id;              // twelve digits
  const Identity* identity = nullptr;  // whose policies judge him; null: he may do everything
  SignedFor signed_for = SignedFor::kAny;
  bool temporary = false;      // by a key that was given for a while
  const Keys* keys = nullptr;  // that he was verified with; null: he is taken at his word
};

// Why a request has no Caller, as AWS tells them apart; `wire` has their names and texts.
enum class Refusal : uint8_t {
  kMissingToken,         // neither an Authorization header nor a presigned query
  kIncompleteSignature,  // a part of the credentials is missing or malformed; `detail` says which, in AWS's words
  kInvalidSignature,     // it contradicts itself, is for another service or time, or does not match; `detail` as above
  kUnrecognizedClient,   // an unknown access key, or not its session token; `detail` as above
  kExpiredToken,         // a key that was given for a while, which is over
};

struct Refused {
  Refusal why;
  std::string detail;
};

// Whether a body of that Content-Type is a call of IAM or STS.
bool is_form(std::string_view content_type);
// What a request is told that is signed for another service than it needs. Precondition: not kAny.
std::string wrong_service(SignedFor needed);

using Verdict = std::variant<std::shared_ptr<const Caller>, Refused>;

// A caller in one scope, and what his signatures are verified with.
struct Signer {
  struct Secret {
    std::string scope;
    HmacKey key;
    std::string session_token;
  };
  Caller caller;
  std::optional<Secret> secret;               // nothing: he is taken at his word
  std::shared_ptr<const AccessKey> key = {};  // null: the same
};

// Who a request says that it is of. Points into the request's head.
struct Claim {
  std::shared_ptr<const Signer> signer;
  Signed what = {};
  std::string_view signature = {};
  std::string_view session_token = {};
  std::shared_ptr<const std::array<std::string, 4>> decoded = {};  // that the views point to when it was in the query
};

using Claimed = std::variant<Claim, Refused>;

struct CredentialScope;

// The checks and their order are AWS's. Remembers whom it took last, as most requests come from the same. For one
// thread.
class Authenticator {
 public:
  // Takes all at their word.
  Authenticator() = default;
  // All outlive it. Null keys: as above. `region`: of all callers, whatever their requests are signed for;
  // empty: of each the one that is.
  Authenticator(const Keys* keys, const Clock& clock, std::string_view region = {})
      : keys_(keys), clock_(&clock), region_(region) {}

  // Of a request's head: the body of `facts` is not looked at.
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
  uint64_t revision_ = 0;  // of the keys that are remembered
  const Clock* clock_ = nullptr;
  std::string_view region_;
  std::string opening_;  // of the header that named the last one: all before the signature
  size_t headers_at_ = 0;
  std::string day_;
  std::vector<std::string_view> unsigned_;  // what the last one did not sign, and may not have therefore
  Claim last_;
  std::map<std::string, std::shared_ptr<const Signer>, std::less<>> signers_;
};

// Of the same request, with its body now.
Verdict verify(const Claimed& claimed, const Facts& facts);

}  // namespace partita::auth
