// OpenSSL's EVP takes 90 ns to begin a hash, and four of them are a signature; these functions are what it calls.
#define OPENSSL_API_COMPAT 10101
#include "auth/sha256.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>

#include "base/check.h"

namespace partita::auth {

namespace {

SHA256_CTX* of(void* state) { return static_cast<SHA256_CTX*>(state); }
std::string_view view(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

}  // namespace

Sha256::Sha256() {
  static_assert(sizeof(SHA256_CTX) <= sizeof(State) && alignof(SHA256_CTX) <= alignof(State));
  PARTITA_CHECK(SHA256_Init(of(&state_)) == 1);
}

Sha256& Sha256::add(std::string_view bytes) {
  PARTITA_CHECK(SHA256_Update(of(&state_), bytes.data(), bytes.size()) == 1);
  return *this;
}

Digest Sha256::finish() {
  Digest digest;
  PARTITA_CHECK(SHA256_Final(digest.data(), of(&state_)) == 1);
  return digest;
}

Digest sha256(std::string_view bytes) { return Sha256().add(bytes).finish(); }

void append_hex(std::string& out, const Digest& digest) {
  const size_t before = out.size();
  out.resize_and_overwrite(before + 2 * digest.size(), [&](char* text, size_t) {
    constexpr auto kPairs = [] {
      std::array<char, 512> pairs{};
      for (size_t byte = 0; byte < 256; ++byte) {
        pairs[2 * byte] = "0123456789abcdef"[byte >> 4];
        pairs[2 * byte + 1] = "0123456789abcdef"[byte & 15];
      }
      return pairs;
    }();
    static constexpr auto kTable = kPairs;
    char* at = text + before;
    for (const uint8_t byte : digest) at = std::copy_n(&kTable[size_t{2} * byte], 2, at);
    return static_cast<size_t>(at - text);
  });
}

HmacKey::HmacKey(std::string_view key) {
  constexpr size_t kBlock = 64;
  const Digest shorter = key.size() > kBlock ? sha256(key) : Digest{};
  std::array<char, kBlock> block{};
  std::ranges::copy(key.size() > kBlock ? view(shorter) : key, block.begin());
  for (char& byte : block) byte = static_cast<char>(byte ^ 0x36);
  inner_.add({block.data(), kBlock});
  for (char& byte : block) byte = static_cast<char>(byte ^ 0x36 ^ 0x5c);
  outer_.add({block.data(), kBlock});
}

Digest HmacKey::sign(std::string_view text) const {
  const Digest first = Sha256(inner_).add(text).finish();
  return Sha256(outer_).add(view(first)).finish();
}

bool same_secret(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace partita::auth
