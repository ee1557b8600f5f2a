// The tags of a table. They are part of its description, and change at once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "table/database.h"
#include "table/resource.h"
#include "table/tables.h"

namespace partita::table {

using Tags = std::map<std::string, std::string>;

// Adds `tags` to those that are there; one of the same key gives way. Nothing happens when one of them is wrong.
// Faults: kTagKeyInvalid, kTagValueInvalid, kTagKeyReserved, kTagKeyTwice, kTooManyTags.
Result<void> merge_tags(const std::vector<Tag>& tags, Tags& there);

// A stream has no tags, and is not found here. Fault of all three: kArnNotFound.
Task<Result<Tags>> tags_of(Database& database, const Resource& resource);
// Faults: also kTagsMissing, those of merge_tags().
Task<Result<void>> add_tags(Database& database, const Resource& resource, const std::vector<Tag>& tags);
// Keys that are not there are passed over. Faults: also kTagKeysMissing, kTagKeyInvalid, kTagKeyReserved, kTooManyTags.
Task<Result<void>> drop_tags(Database& database, const Resource& resource, const std::vector<std::string>& keys);

}  // namespace partita::table
