// The row maker of tables with a stream: appends the record of each change of an item to the item's shard, in the
// transaction of the change.
#pragma once

#include "table/rows/row_maker.h"

namespace partita::table {

// Static storage; callable from any thread.
const RowMaker& stream_record_maker();

}  // namespace partita::table
