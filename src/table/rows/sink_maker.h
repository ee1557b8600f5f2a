// The row maker of tables with sinks: appends the key of each item that changes, or the whole change, to the logs of
// the table's sinks, in the transaction of the change.
#pragma once

#include "table/rows/row_maker.h"

namespace partita::table {

// Static storage; callable from any thread.
const RowMaker& sink_log_maker();

}  // namespace partita::table
