// The head of a write batch in RocksDB's write-ahead log. Partita adds a secret of the store, which no client knows, so
// that bytes inside a value are never mistaken for a batch.
#pragma once

#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace partita::rocks {

// The sequence number (8 bytes) and how many numbers the batch takes (4), both little-endian.
inline constexpr size_t kBatchHeadBytes = 12;
// Letters, digits, '-' and '_'.
inline constexpr size_t kSecretBytes = 14;
// Where the secret of a batch ends at the latest.
inline constexpr size_t kSecretEnd = kBatchHeadBytes + 2 + kSecretBytes;

// Error: kUnavailable when the kernel gives no random numbers.
Result<std::string> draw_secret();

// Writes the secret. Before anything else is added to the batch.
rocksdb::Status begin_batch(rocksdb::WriteBatch& batch, std::string_view secret);

// The secret in a batch's bytes, or in the first kSecretEnd of them; empty if there is none.
std::string_view secret_of(std::string_view batch);
// The sequence number of the first change, and the one after the last. Precondition: at least kBatchHeadBytes.
std::pair<uint64_t, uint64_t> sequences_of(std::string_view batch);

}  // namespace partita::rocks
