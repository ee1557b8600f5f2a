// The row maker of tables with a stream: appends the record of each change of an item to the item's shard.
#pragma once

#include "table/rows/row_maker.h"

namespace partita::table {

const RowMaker& stream_record_maker();

}  // namespace partita::table
