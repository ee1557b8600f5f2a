// Where to split a partition that refuses accesses, from the keys that were seen in it. Pure functions.
//
// - Most of the weight on one item collection: the collection becomes a range of its own, and is split inside at the
//   same time. If one item has most of the weight, the item becomes a range of its own.
// - Otherwise the range is split at the weight median.
//
// No collection is divided if the table has local indexes ("Best practices for designing and using partition keys
// effectively", developer guide), nor while its sort keys move in one direction: the load would move on to the last
// part at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "throttle/sketch.h"

namespace partita::throttle {

enum class Collections : uint8_t {
  kSingleItems,  // no sort key
  kIndivisible,  // there is a local index
  kDivisible,
};

// Why a partition that refuses accesses is not split.
enum class Obstacle : uint8_t {
  kNone,           // it refuses nothing, or will be split
  kTooEarly,       // it has not refused for long enough
  kTooFewSamples,  // too few accesses were seen
  kSingleItem,     // it holds nothing else than one hot item
  kLocalIndex,     // it is one collection of a table with local indexes
  kMovingKeys,     // it is one collection, whose sort keys keep rising or falling
  kFull,           // there are PartitionMap::kMost partitions
};

// Quartiles of a window's weight, within the item collection that has most of it, if there is one.
struct Quartiles {
  std::optional<uint64_t> collection;  // its hash
  std::string lower;
  std::string median;
  std::string upper;
};
// Nullopt: too few samples.
std::optional<Quartiles> quartiles_of(const Sketch::Seen& seen);

// Whether keys move in one direction from window to window.
class Drift {
 public:
  void add(Quartiles window);
  // The median never went back, and has left the middle half of the first window.
  bool moving() const;

 private:
  int windows_ = 0;
  bool rose_ = false;
  bool fell_ = false;
  Quartiles first_;
  std::string last_;  // median
};

struct SplitPoint {
  std::vector<std::string> cuts;  // ascending boundaries inside the range; empty: no split
  Obstacle obstacle = Obstacle::kNone;
};

// For the range [low, high); an empty `high` means no end.
SplitPoint split_point(const Sketch::Seen& seen, std::string_view low, std::string_view high, Collections collections,
                       bool moving);

}  // namespace partita::throttle
