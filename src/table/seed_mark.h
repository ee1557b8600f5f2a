// That a database is being seeded (app/seed.h). Until all is in it a row says so, and which tables the seeding has
// made: whoever goes on after a kill tells them by it from those that were there before.
#pragma once

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

// Nothing: the database is not being seeded. Error: kCorrupt.
Task<Result<std::optional<SeededTables>>> begun_seeding(storage::Engine& engine);
// Takes the place of what was noted before.
Task<Result<void>> note_seeding(storage::Engine& engine, SeededTables tables);
Task<Result<void>> end_seeding(storage::Engine& engine);
// Of the row's value. Error: kCorrupt.
Result<SeededTables> decode_seeding(std::string_view value);

}  // namespace partita::table
