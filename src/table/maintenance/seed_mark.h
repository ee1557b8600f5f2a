// The mark of a database that is being seeded (cli/seed.h): a row with the tables that the seeding has created and the
// claim of the server that seeds. After a kill, the next seeding continues with these tables; of several servers on one
// store, one seeds at a time.
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

// TableId by name; empty while the table is being created.
using SeededTables = std::map<std::string, std::string>;

struct SeedMark {
  SeededTables tables;
  uint64_t claim = 0;  // identifies the server that seeds; 0: none
};

// Each write of the row changes its version, even if the contents are the same.
struct SeenSeedMark {
  SeedMark mark;
  storage::Version version{};
};

// Nothing: the database is not being seeded. Errors: kCorrupt, those of the engine.
Task<Result<std::optional<SeenSeedMark>>> find_seed_mark(storage::Engine& engine);
// Sets the claim (not 0) and keeps the tables. False: the row has changed since it was `seen`; nothing is written.
Task<Result<bool>> claim_seed_mark(storage::Engine& engine, std::optional<SeenSeedMark> seen, uint64_t claim);
// Replaces the tables of the same claim. False: another server has claimed the row.
Task<Result<bool>> note_seeding(storage::Engine& engine, SeedMark mark);
// Releases the claim. The row stays if `left` has tables, with these. False: as above.
Task<Result<bool>> end_seeding(storage::Engine& engine, uint64_t claim, SeededTables left);
// Decodes the row's value. Error: kCorrupt.
Result<SeedMark> decode_seeding(std::string_view value);

}  // namespace partita::table
