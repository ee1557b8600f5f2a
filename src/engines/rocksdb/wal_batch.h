// How a batch of writes stands in RocksDB's write-ahead log, and what Partita puts at its beginning: a secret of the
// store that no client knows, so that nothing that stands in a value is ever taken for a batch.
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
// No batch that has a secret shows it later than here.
inline constexpr size_t kSecretEnd = kBatchHeadBytes + 2 + kSecretBytes;

// Error: kUnavailable when the kernel gives no random numbers.
Result<std::string> draw_secret();

// Before all else in a batch.
rocksdb::Status begin_batch(rocksdb::WriteBatch& batch, std::string_view secret);

// Of a batch's bytes, or the first kSecretEnd of them. Empty: it has no secret.
std::string_view secret_of(std::string_view batch);
// The number of its first change, and the number behind its last. Precondition: at least kBatchHeadBytes.
std::pair<uint64_t, uint64_t> sequences_of(std::string_view batch);

}  // namespace partita::rocks
