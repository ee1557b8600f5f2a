// The log of a vector index, from which servers update their graphs: each write appends the keys of the rows that it
// changes, in its own transaction. Callable from any thread.
//
// The log is kept short. Before it is trimmed, its trimmed row is written with the new end of the trimmed part. If a
// reader finds there, after reading the log, no position behind its own, it has missed no entry.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "table/rows/row_maker.h"

namespace partita::table {

// Appends to the logs of a table with vector indexes. Static storage.
const RowMaker& vector_log_maker();

// The key of the trimmed row of an index.
storage::Key trimmed_key(uint32_t table_id, uint16_t index_id);
// The trimmed rows of all indexes of a table.
storage::Range trimmed_rows(uint32_t table_id);

// The position in a trimmed row, up to which the log was or is being trimmed; all zero if there is no row. Error:
// kCorrupt.
Result<storage::Position> trimmed_upto(const std::optional<storage::Record>& row);

// Trims the log to a few thousand entries if it has more. The engine outlives the task.
Task<Result<void>> trim_vector_log(storage::Engine& engine, uint32_t table_id, uint16_t index_id);

// Erases the log of a dropped index and its trimmed row. The engine outlives the task.
Task<Result<void>> forget_vector_log(storage::Engine& engine, uint32_t table_id, uint16_t index_id);

}  // namespace partita::table
