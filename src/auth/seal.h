// Secrets that this server makes up, and what it gives away so that only it, or who shares its key, can read it again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace partita::auth {

// Bytes that nobody guesses, from the system.
std::string secret_bytes(size_t count);
// So many characters of `alphabet`, likewise. Precondition: it has at most 256, and some.
std::string secret_text(size_t count, std::string_view alphabet);

// A secret access key: 40 characters.
std::string fresh_secret();

inline constexpr size_t kSealKeyBytes = 32;

// Encrypted and authenticated: AES-256-GCM. Precondition of both: the key has kSealKeyBytes.
std::string seal(std::string_view key, std::string_view text);
// Nothing for whatever was not made by seal() with that very key.
std::optional<std::string> unseal(std::string_view key, std::string_view sealed);

}  // namespace partita::auth
