// Random secrets, and sealing: encrypting data so that only holders of the same key can read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace partita::auth {

// Cryptographically random bytes from the system.
std::string secret_bytes(size_t count);
// `count` random characters of `alphabet`, likewise. Precondition: it has 1 to 256 characters.
std::string secret_text(size_t count, std::string_view alphabet);

// A secret access key: 40 characters.
std::string fresh_secret();

inline constexpr size_t kSealKeyBytes = 32;

// Encrypted and authenticated: AES-256-GCM. Precondition of both: the key has kSealKeyBytes.
std::string seal(std::string_view key, std::string_view text);
// Nullopt for anything that was not made by seal() with the same key.
std::optional<std::string> unseal(std::string_view key, std::string_view sealed);

}  // namespace partita::auth
