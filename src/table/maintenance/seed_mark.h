// That a database is being seeded (cli/seed.h). Until all is in it a row says so, which tables the seeding has made,
// and who does it: whoever goes on after a kill tells them by it from those that were there before, and of several
// servers on one store one seeds at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"

namespace partita::table {

// By name, with the TableId; empty of one that is being made.
using SeededTables = std::map<std::string, std::string>;

struct SeedMark {
  SeededTables tables;
  uint64_t claim = 0;  // a number of whoever seeds; 0: nobody does
};

// Each change of the row gives it another version, though it says the same.
struct SeenSeedMark {
  SeedMark mark;
  storage::Version version{};
};

// Nothing: the database is not being seeded. Errors: kCorrupt, those of the engine.
Task<Result<std::optional<SeenSeedMark>>> find_seed_mark(storage::Engine& engine);
// Puts that claim (not 0) there, with the tables that were noted. False: somebody has changed the row since it was
// `seen`, and it is as it was left.
Task<Result<bool>> claim_seed_mark(storage::Engine& engine, std::optional<SeenSeedMark> seen, uint64_t claim);
// The tables take the place of those that the same claim noted. False: somebody else has claimed the row meanwhile.
Task<Result<bool>> note_seeding(storage::Engine& engine, SeedMark mark);
// Lets the claim go; with `left` the row stays, and says these tables. False: as above.
Task<Result<bool>> end_seeding(storage::Engine& engine, uint64_t claim, SeededTables left);
// Of the row's value. Error: kCorrupt.
Result<SeedMark> decode_seeding(std::string_view value);

}  // namespace partita::table
