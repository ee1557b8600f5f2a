// How far a sink is, in the row of its job (Job::carried).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/engine.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

using Positions = std::array<storage::Position, table::kSinkSlices>;
using SliceTexts = std::array<std::string, table::kSinkSlices>;

struct Progress {
  std::string sink;         // its name
  uint64_t generation = 0;  // of the fill that was begun last; 0: none
  bool filling = false;     // Job::cursor says how far
  Positions delivered{};    // of each slice: the other end has all changes up to here, once it is filled
  uint64_t retries = 0;     // Sink::retries that are done
  // Since the sink was created.
  uint64_t sent = 0;
  uint64_t conflicts = 0;  // of these: the other end had a newer version
  uint64_t rejected = 0;
  // Of sinks that take every change.
  bool begun = false;    // the other end was ready once
  int64_t tried_ms = 0;  // until it was: the time between attempts that failed, without that in which no server ran
  uint64_t dropped = 0;  // for too many were waiting
  SliceTexts texts;      // what the destination keeps, see ChangeDestination::send()
  std::string trouble;   // why nothing can be sent at the moment; empty: nothing is wrong
};

std::string encode(const Progress& progress);
// An empty text is the progress of a new sink. Error: kCorrupt.
Result<Progress> progress_from(std::string_view text);

}  // namespace partita::sinks
