// The changes in a sink's logs that are not delivered yet.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "sinks/progress.h"
#include "storage/engine.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

class Backlog {
 public:
  // The engine outlives it.
  Backlog(storage::Engine& engine, uint32_t table_id, uint16_t number) : engine_(engine) {
    for (size_t i = 0; i < table::kSinkSlices; ++i) topics_[i] = table::sink_topic(table_id, number, i);
  }

  const std::string& topic(size_t slice) const { return topics_[slice]; }
  Task<Result<Positions>> ends();
  Task<Result<void>> trim(Positions upto);
  Task<Result<void>> forget();

  // Reads on from where it counted last: what is behind `delivered`. Ends when it has read about `most_bytes` of each
  // slice.
  Task<Result<void>> count(Positions delivered, size_t most_bytes = size_t{1} << 20);
  // Where it is with counting.
  Positions counted() const;
  // Nothing is left of what was counted up to there, or of all.
  void took(size_t slice, storage::Position upto, uint64_t entries, uint64_t bytes);
  void clear() { slices_ = {}; }

  uint64_t entries() const;
  uint64_t bytes() const;
  // When the oldest change was made; 0: there is none. As of the last count().
  int64_t oldest_ms() const { return oldest_ms_; }

 private:
  struct Slice {
    storage::Position counted{};
    uint64_t entries = 0;
    uint64_t bytes = 0;
  };

  storage::Engine& engine_;
  std::array<std::string, table::kSinkSlices> topics_;
  std::array<Slice, table::kSinkSlices> slices_;
  Positions trimmed_{};
  int64_t oldest_ms_ = 0;
};

}  // namespace partita::sinks
