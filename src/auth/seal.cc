#include "auth/seal.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <memory>

#include "base/check.h"

namespace partita::auth {

namespace {

constexpr size_t kNonceBytes = 12;
constexpr size_t kTagBytes = 16;

struct Free {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, Free>;

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

std::string secret_bytes(size_t count) {
  std::string bytes(count, '\0');
  PARTITA_CHECK(RAND_bytes(bytes_of(bytes), static_cast<int>(count)) == 1);
  return bytes;
}

std::string secret_text(size_t count, std::string_view alphabet) {
  PARTITA_CHECK(!alphabet.empty() && alphabet.size() <= 256);
  const size_t fair = 256 - 256 % alphabet.size();  // from there on some characters would come more often
  std::string text;
  while (text.size() < count) {
    for (const char c : secret_bytes(count)) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < fair && text.size() < count) text.push_back(alphabet[byte % alphabet.size()]);
    }
  }
  return text;
}

std::string fresh_secret() {
  constexpr size_t kCharacters = 40;
  return secret_text(kCharacters, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
}

// The nonce, the text, the tag.
std::string seal(std::string_view key, std::string_view text) {
  PARTITA_CHECK(key.size() == kSealKeyBytes);
  std::string sealed = secret_bytes(kNonceBytes);
  sealed.resize(kNonceBytes + text.size() + kTagBytes);
  const Context context(EVP_CIPHER_CTX_new());
  PARTITA_CHECK(context != nullptr);
  int size = 0;
  unsigned char* const at = bytes_of(sealed);
  PARTITA_CHECK(EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), at) == 1);
  PARTITA_CHECK(
      EVP_EncryptUpdate(context.get(), at + kNonceBytes, &size, bytes_of(text), static_cast<int>(text.size())) == 1);
  unsigned char* const tag = at + kNonceBytes + text.size();
  PARTITA_CHECK(EVP_EncryptFinal_ex(context.get(), tag, &size) == 1);
  PARTITA_CHECK(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag) == 1);
  return sealed;
}

std::optional<std::string> unseal(std::string_view key, std::string_view sealed) {
  PARTITA_CHECK(key.size() == kSealKeyBytes);
  if (sealed.size() < kNonceBytes + kTagBytes) return std::nullopt;
  std::string text(sealed.size() - kNonceBytes - kTagBytes, '\0');
  std::string tag(sealed.substr(sealed.size() - kTagBytes));
  const Context context(EVP_CIPHER_CTX_new());
  PARTITA_CHECK(context != nullptr);
  int size = 0;
  const unsigned char* const at = bytes_of(sealed);
  PARTITA_CHECK(EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), at) == 1);
  PARTITA_CHECK(
      EVP_DecryptUpdate(context.get(), bytes_of(text), &size, at + kNonceBytes, static_cast<int>(text.size())) == 1);
  PARTITA_CHECK(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1);
  unsigned char rest[kTagBytes];
  if (EVP_DecryptFinal_ex(context.get(), rest, &size) != 1) return std::nullopt;
  return text;
}

}  // namespace partita::auth
