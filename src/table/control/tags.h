// The tags of a table and of its newest stream. They are part of the table's description, and are seen at once; yet for
// a moment after a change of a table's tags DynamoDB takes no other, and neither do we.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"
#include "table/control/resource.h"
#include "table/control/tables.h"

namespace partita::table {

// Adds `tags` to those that are there; one of the same key gives way. Nothing happens when one of them is wrong.
// Faults: kTagKeyInvalid, kTagValueInvalid, kTagKeyReserved, kTagKeyTwice, kTooManyTags, kTagsTooLarge.
Result<void> merge_tags(const std::vector<Tag>& tags, Tags& there);

// Fault of all three: kArnNotFound, of a stream that is not its table's newest too.
Task<Result<Tags>> tags_of(TableContext& context, const Resource& resource);
// Faults: also kTagsMissing, those of merge_tags(); kTagsBusy, unless what the last change wrote is among `tags`.
Task<Result<void>> add_tags(TableContext& context, const Resource& resource, const std::vector<Tag>& tags);
// Keys that are not there are passed over. Faults: also kTagKeysMissing, kTagKeyInvalid, kTagKeyReserved, kTagKeyTwice,
// kTooManyTags, kTagsBusy.
Task<Result<void>> drop_tags(TableContext& context, const Resource& resource, const std::vector<std::string>& keys);

}  // namespace partita::table
