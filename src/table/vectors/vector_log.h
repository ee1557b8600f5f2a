// The log of a vector index, from which the graphs of its vectors are updated: each write appends the keys of the rows
// that it changes, in its own transaction.
//
// The log is kept short. Before it is trimmed, a row is written that says up to where. A reader that finds the log not
// trimmed beyond the reader's position, after reading, has missed no entry.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "table/rows/row_maker.h"

namespace partita::table {

// Appends to the logs of a table with vector indexes.
const RowMaker& vector_log_maker();

storage::Key trimmed_key(uint32_t table_id, uint16_t index_id);
// Such rows of all indexes of a table.
storage::Range trimmed_rows(uint32_t table_id);

// How far it was trimmed, or is being trimmed; all zero: never. Errors: kCorrupt for a row that says nothing.
Result<storage::Position> trimmed_upto(const std::optional<storage::Record>& row);

// Trims the log to some thousands of entries when it has more.
Task<Result<void>> trim_vector_log(storage::Engine& engine, uint32_t table_id, uint16_t index_id);

// The log and its row, when the index is gone.
Task<Result<void>> forget_vector_log(storage::Engine& engine, uint32_t table_id, uint16_t index_id);

}  // namespace partita::table
