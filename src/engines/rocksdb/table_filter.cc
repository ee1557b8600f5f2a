#include "engines/rocksdb/table_filter.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rocksdb {

// The hash that filters on the disk are made with. RocksDB keeps it stable, but no public header declares it.
uint64_t Hash64(const char* data, size_t bytes);

}  // namespace rocksdb

namespace partita::rocks {

namespace {

// RocksDB's "fast local bloom" (util/bloom_impl.h): lines of 64 bytes, then 5 bytes. All bits of a key are in one line.
// The 5 bytes are the kind of filter, the kind within it, the number of bits of a key, and two zeros.
constexpr size_t kLineBytes = 64;
constexpr size_t kLineBitsLog2 = 9;
constexpr size_t kTailBytes = 5;
constexpr char kNewBloom = -1;
constexpr int kMostProbes = 30;
constexpr uint32_t kNextProbe = 0x9e3779b9;

}  // namespace

std::optional<TableFilter> TableFilter::of(std::string content) {
  if (content.size() < kLineBytes + kTailBytes || content.size() % kLineBytes != kTailBytes) return std::nullopt;
  const std::string_view tail = std::string_view(content).substr(content.size() - kTailBytes);
  const int probes = static_cast<uint8_t>(tail[2]);
  if (tail[0] != kNewBloom || tail[1] != 0 || tail[3] != 0 || tail[4] != 0) return std::nullopt;
  if (probes < 1 || probes > kMostProbes) return std::nullopt;
  return TableFilter(std::move(content), probes);
}

bool TableFilter::may_hold(std::string_view key) const {
  const uint64_t hash = rocksdb::Hash64(key.data(), key.size());
  const uint64_t lines = content_.size() / kLineBytes;
  const size_t begin = (lines * (hash & UINT32_MAX) >> 32) * kLineBytes;
  const std::string_view line = std::string_view(content_).substr(begin, kLineBytes);
  auto probe = static_cast<uint32_t>(hash >> 32);
  for (int i = 0; i < probes_; ++i, probe *= kNextProbe) {
    const uint32_t bit = probe >> (32 - kLineBitsLog2);
    if ((static_cast<uint8_t>(line[bit / 8]) >> bit % 8 & 1) == 0) return false;
  }
  return true;
}

}  // namespace partita::rocks
