#include "engines/rocksdb/wal_batch.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace partita::rocks {

namespace {

// The kind of entry that changes nothing, which RocksDB calls log data: this tag, a length and as many bytes.
constexpr char kBegins[] = {3, static_cast<char>(kSecretBytes)};

}  // namespace

Result<std::string> draw_secret() {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string secret(kSecretBytes, '\0');
  if (getentropy(secret.data(), secret.size()) != 0) {
    return Error(ErrorKind::kUnavailable,
                 std::string("The kernel gives no random numbers: ") + std::strerror(errno) + ".");
  }
  for (char& c : secret) c = kLetters[static_cast<uint8_t>(c) % kLetters.size()];
  return secret;
}

rocksdb::Status begin_batch(rocksdb::WriteBatch& batch, std::string_view secret) {
  return batch.PutLogData({secret.data(), secret.size()});
}

std::string_view secret_of(std::string_view batch) {
  if (batch.size() < kSecretEnd || !batch.substr(kBatchHeadBytes).starts_with({kBegins, sizeof kBegins})) return {};
  return batch.substr(kBatchHeadBytes + sizeof kBegins, kSecretBytes);
}

std::pair<uint64_t, uint64_t> sequences_of(std::string_view batch) {
  PARTITA_CHECK(batch.size() >= kBatchHeadBytes);
  uint64_t first = 0;
  uint64_t count = 0;
  for (size_t i = 8; i-- > 0;) first = first << 8 | static_cast<uint8_t>(batch[i]);
  for (size_t i = kBatchHeadBytes; i-- > 8;) count = count << 8 | static_cast<uint8_t>(batch[i]);
  return {first, first + count};
}

}  // namespace partita::rocks
