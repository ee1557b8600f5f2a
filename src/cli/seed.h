// Tables and items that a server begins with, from the files of a directory.
#pragma once

#include <string>

#include "base/result.h"
#include "ops/service.h"

namespace partita::cli {

// Makes the tables of the directory's *.json files, each what CreateTable takes, and waits until they can be used. Then
// puts the items of *.jsonl files, each named after its table, with one {"Item": {...}} a line, as DynamoDB exports
// them; of lines with one key the first counts. A table that is there already is left as it is, with its items; but one
// that a seeding has made which did not come to its end gets the items whose keys are not there. Nothing is
// overwritten. A database that never had a table gets all of it by one transaction, if a few megabytes are enough.
// Where the store is not for this server alone, waits while another one seeds it. Says what it does in the log. Error:
// kInvalid (reason 0) or kUnavailable, with one sentence that names the file if it is about one, and those of the
// store; what was done by then stays, for the next seeding to go on with.
Result<void> seed(const std::string& directory, ops::Service& service, bool alone);

// Whether the directory can be read, before there is a store to seed. Error: as seed().
Result<void> check_seed(const std::string& directory);

}  // namespace partita::cli
