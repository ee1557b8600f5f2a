// Who is at the other end of a connection, as authorizeConnection says. It is a Signature Version 4 whose
// string-to-sign is part of the message. Success has no reply; a failure answers the requests that follow.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "auth/keys.h"
#include "base/clock.h"

namespace partita::dax {

// What authorizeConnection says. Views into the request.
struct Proof {
  std::string_view access_key_id;
  std::string_view signature;  // in hexadecimal digits
  std::string_view string_to_sign;
  std::string_view session_token;  // empty: none
};

// What the connections of a server have in common. Its members outlive them.
struct Verifier {
  const auth::Keys* keys;  // null: every well-formed signature is accepted
  const Clock& clock;
  std::string_view region;  // of all callers; empty: the one that each signs for
};

// Of one connection. For one thread.
class Authorisation {
 public:
  // Clients sign again after 150 to 225 seconds, and take what they have signed for valid for five minutes.
  static constexpr int64_t kLifetimeMs = 600'000;
  // Between the date of the signature and now, as for requests over HTTP.
  static constexpr int64_t kMaxSkewMs = 900'000;

  explicit Authorisation(const Verifier& verifier) : verifier_(verifier) {}

  // Replaces what was known of the caller.
  void prove(const Proof& proof);
  // The caller of a request that came at `now_ns` of the monotonic clock. Refused: nobody was authorised, the last
  // proof was wrong, its lifetime is over, or the key no longer exists. The verdict is valid until the next call.
  const auth::Verdict& verdict(int64_t now_ns);
  // Whether the last verdict is a refusal because the lifetime is over: the client should sign again.
  bool lapsed() const { return lapsed_; }

 private:
  auth::Verdict check(const Proof& proof);
  void look_again();

  const Verifier& verifier_;
  auth::Verdict verdict_ = auth::Refused{auth::Refusal::kMissingToken, {}};
  bool lapsed_ = false;
  int64_t ends_ns_ = 0;
  // The rest is for callers that were verified.
  std::shared_ptr<const auth::AccessKey> key_;
  std::string session_token_;
  uint64_t revision_ = 0;  // of the keys
};

}  // namespace partita::dax
