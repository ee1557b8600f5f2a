// Temporary credentials: a session token contains its bearer's identity, sealed, so that every server of a store can
// verify it without a read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partita::auth {

struct Session {
  enum class Of : uint8_t { kRoot, kUser, kRole };
  Of of = Of::kUser;
  std::string key_id;  // "ASIA..."
  std::string secret;
  std::string name;       // of the user or the role
  std::string id;         // "AIDA...": distinguishes users of the same name
  std::string given_to;   // the access key that requested a session of a user or of the root
  std::string session;    // of a role: RoleSessionName
  std::string policy;     // the session policy, or empty
  int64_t issued_ms = 0;  // since 1970
  int64_t expires_ms = 0;
};

inline constexpr std::string_view kSessionKeyPrefix = "ASIA";

// Precondition of both: the key is one of seal().
std::string token_of(const Session& session, std::string_view seal_key);
// Nullopt for anything that is not a token of that key.
std::optional<Session> session_of(std::string_view token, std::string_view seal_key);

}  // namespace partita::auth
