// authorizeConnection as clients sign it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "auth/sha256.h"
#include "auth/signature.h"

namespace partita::dax {

inline constexpr std::string_view kKeyId = "AKIDEXAMPLE";
inline constexpr std::string_view kSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

// The same moment, as a test's clock and as a signature have it.
inline constexpr int64_t kStartMs = 1'767'323'045'000;
inline constexpr std::string_view kNow = "20260102T030405Z";

struct SignedText {
  std::string text;
  std::string signature;
};

inline std::string hex_of(const auth::Digest& digest) {
  std::string hex;
  auth::append_hex(hex, digest);
  return hex;
}

// `date`: "20260102T030405Z".
inline SignedText sign(std::string_view secret, std::string_view date, std::string_view host = "dax.amazonaws.com",
                       std::string_view service = "dax") {
  const std::string_view day = date.substr(0, 8);
  std::string canonical = "POST\n/\n\nhost:";
  canonical.append(host).append("\nx-amz-date:").append(date).append("\n\nhost;x-amz-date\n");
  canonical += hex_of(auth::sha256(""));
  SignedText out;
  out.text.append("AWS4-HMAC-SHA256\n").append(date).append("\n").append(auth::scope_of(day, "eu-west-1", service));
  out.text.append("\n").append(hex_of(auth::sha256(canonical)));
  out.signature = hex_of(auth::signing_key(secret, day, "eu-west-1", service).sign(out.text));
  return out;
}

}  // namespace partita::dax
