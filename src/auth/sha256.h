// SHA-256, and HMAC with it, by OpenSSL.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace partita::auth {

using Digest = std::array<uint8_t, 32>;

// An unfinished hash. A copy continues from the same state.
class Sha256 {
 public:
  Sha256();
  Sha256& add(std::string_view bytes);
  Digest finish();  // once

 private:
  struct alignas(8) State {
    std::array<unsigned char, 112> bytes;
  } state_;
};

Digest sha256(std::string_view bytes);

// In lower case.
void append_hex(std::string& out, const Digest& digest);

// A key for signing many texts. Immutable.
class HmacKey {
 public:
  explicit HmacKey(std::string_view key);
  Digest sign(std::string_view text) const;

 private:
  Sha256 inner_;  // both after the block derived from the key
  Sha256 outer_;
};

// Compares in constant time.
bool same_secret(std::string_view one, std::string_view other);

}  // namespace partita::auth
