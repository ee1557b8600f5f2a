// The versions of the keys that transactions compare, so that comparing reads nothing: such keys are few (descriptions
// of tables) and hardly ever change.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engines/rocksdb/latches.h"
#include "storage/engine.h"

namespace partita::rocks {

// For each watched key the version of its newest write, queued or durable. Callers hold the committer's queue, and that
// is what orders comparing against changing: a transaction that compares and is queued before a change passes, one
// that comes after it does not.
class Watches {
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
  struct Watch {
    std::string key;
    std::optional<storage::Version> version;
  };
  struct Hashed {
    size_t operator()(uint64_t hash) const { return hash; }
  };

  std::unordered_map<uint64_t, Watch, Hashed> watches_;  // by the key's hash; of two keys with one hash the newer
  std::bitset<Latches::kStripes> stripes_;  // those that hold watched keys, so that most writes are not looked up
};

}  // namespace partita::rocks
