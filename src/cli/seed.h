// Creates tables and items from the files of a directory.
#pragma once

#include <string>

#include "base/result.h"
#include "ops/service.h"

namespace partita::cli {

// Creates a table for each *.json file, a CreateTable request, and waits until it is active. Then puts the items of
// TABLE.jsonl files, one {"Item": {...}} a line, as DynamoDB exports them; the first line of a key counts. Nothing is
// overwritten: an existing table is left alone, unless an interrupted seeding created it; then the missing items are
// added. An empty database gets everything in one transaction, if it is at most a few megabytes. Without `alone`, waits
// for another server that is seeding the store. Logs its progress. Errors: kInvalid (reason 0) or kUnavailable, with
// one sentence that names the file; those of the store. After an error, the next seeding continues.
Result<void> seed(const std::string& directory, ops::Service& service, bool alone);

// Checks the directory before a store is opened. Errors: as seed().
Result<void> check_seed(const std::string& directory);

}  // namespace partita::cli
