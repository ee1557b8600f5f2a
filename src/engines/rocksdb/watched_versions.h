// The versions of the keys that transactions compare, so that a comparison needs no read. Such keys are few
// (descriptions of tables) and rarely change.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/bytes.h"
#include "engines/rocksdb/latches.h"
#include "storage/engine.h"

namespace partita::rocks {

// The version of the newest write, queued or durable, of each watched key. Not synchronised: callers hold the
// committer's mutex, which orders comparisons and changes. A transaction that is queued before a change passes; a later
// one does not.
class WatchedVersions {
 public:
  enum class Match : uint8_t { kSame, kDiffers, kUnwatched };

  Match match(const storage::Compare& compare) const;
  // Precondition: the caller holds the key's latch, and `version` is that of its newest write.
  void watch(std::string_view key, std::optional<storage::Version> version);
  // Called for every write that is queued.
  void note(std::string_view key, uint64_t hash, std::optional<storage::Version> version);
  void clear();

 private:
  static constexpr size_t kMaxWatches = 1 << 16;
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return hash64(key); }
  };

  std::unordered_map<std::string, std::optional<storage::Version>, KeyHash, std::equal_to<>> watched_;
  std::bitset<Latches::kStripes> stripes_;  // stripes with watched keys, so that most writes need no lookup
};

}  // namespace partita::rocks
