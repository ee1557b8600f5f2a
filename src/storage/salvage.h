// Saving the readable part of a damaged store: what a salvage reports, and who completes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/engine.h"

namespace partita::storage {

// An unreadable part of the key space, between two keys, both excluded. Empty: unknown.
struct LostRange {
  bool of_log = false;  // of the logs: then both are keys of docs/formats/store.md
  std::string after;
  std::string before;
};

struct SalvageReport {
  uint64_t records = 0;             // saved
  uint64_t entries = 0;             // log entries saved
  std::vector<std::string> losses;  // one sentence each, for an operator; empty: everything was readable
  std::vector<LostRange> ranges;
  // Records that were left out because a newer version may be among the losses: their number, and the first keys.
  uint64_t unsure_count = 0;
  std::vector<std::string> unsure;
  bool lost_erasures = false;  // rows of erased ranges may have returned
  bool lost_changes = false;   // some of the newest changes are missing
};

// Called with the new store before it becomes visible. An error ends the salvage.
using FinishSalvage = std::function<Result<void>(Engine& engine, SalvageReport& report)>;

// Saves the readable part of the store at `from`, which stays unchanged, into a new store at `to`, which must be
// missing or empty. The newest version of each record is saved, or none. The new store never issues a version or
// position that the old one issued. `finish` repairs what lost writes left inconsistent. Blocks.
// Error: kUnavailable, with one sentence.
using Salvage = Result<SalvageReport>(const std::string& from, const std::string& to, const FinishSalvage& finish);

}  // namespace partita::storage
