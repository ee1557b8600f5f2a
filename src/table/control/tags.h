// The tags of a table and its newest stream, which are part of the table's description. Changes are visible at once,
// but as in DynamoDB, a change of a table's tags excludes others for a moment.
#pragma once

#include <string>
#include <vector>

#include "api/settings.h"
#include "base/result.h"
#include "base/task.h"
#include "table/catalog/table_context.h"
#include "table/control/tables.h"

namespace partita::table {

// Adds `tags` to `there`, replacing those with the same keys. Changes nothing on error.
// Faults: kTagKeyInvalid, kTagValueInvalid, kTagKeyReserved, kTagKeyTwice, kTooManyTags, kTagsTooLarge.
Result<void> merge_tags(const std::vector<api::Tag>& tags, Tags& there);

// Fault of all three: kArnNotFound, also for a stream that is not its table's newest.
Task<Result<Tags>> tags_of(TableContext& context, const api::Resource& resource);
// Faults: also kTagsMissing, those of merge_tags(); kTagsBusy, unless `tags` includes those of the last change.
Task<Result<void>> add_tags(TableContext& context, const api::Resource& resource, const std::vector<api::Tag>& tags);
// Unknown keys are ignored. Faults: also kTagKeysMissing, kTagKeyInvalid, kTagKeyReserved, kTagKeyTwice,
// kTooManyTags, kTagsBusy.
Task<Result<void>> drop_tags(TableContext& context, const api::Resource& resource,
                             const std::vector<std::string>& keys);

}  // namespace partita::table
