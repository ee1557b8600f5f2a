// The versions of the keys that transactions compare, so that comparing reads nothing: such keys are few (descriptions
// of tables) and hardly ever change.
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

// For each watched key the version of its newest write, queued or durable. Callers hold the committer's queue, and that
// is what orders comparing against changing: a transaction that compares and is queued before a change passes, one
// that comes after it does not.
class WatchedVersions {
 public:
  enum class Match : uint8_t { kSame, kDiffers, kUnwatched };

  Match match(const storage::Compare& compare) const;
  // Precondition: the caller holds the key's latch, and `version` is that of its newest write.
  void watch(std::string_view key, std::optional<storage::Version> version);
  // To be told of every write that is queued.
  void note(std::string_view key, uint64_t hash, std::optional<storage::Version> version);
  void clear();

 private:
  static constexpr size_t kMaxWatches = 1 << 16;
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return hash64(key); }
  };

  std::unordered_map<std::string, std::optional<storage::Version>, KeyHash, std::equal_to<>> watched_;
  std::bitset<Latches::kStripes> stripes_;  // those that hold watched keys, so that most writes are not looked up
};

}  // namespace partita::rocks
