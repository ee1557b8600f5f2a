// Which rows of a vector index changed, for those who keep its vectors in another form: every write names the keys of
// the rows that it changes in the index's topic of the log, in its own transaction.
//
// The log is kept short. Before it is trimmed a row says how far that will be; so who reads the log and then finds that
// it was not trimmed beyond where he stood has missed nothing.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"

namespace partita::table {

std::string vector_topic(uint32_t table_id, uint16_t index_id);
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
