// The jobs behind changes that take a while. Each can be interrupted at any point and begun again.
#pragma once

#include "table/database.h"

namespace partita::table {

// Fills a new index from the table's items and makes it ACTIVE.
void schedule_index_fill(Database& database, Table table, uint16_t index_id);
// Clears an index that is DELETING and forgets it.
void schedule_index_drop(Database& database, Table table, uint16_t index_id);
// Clears a table that is DELETING and forgets it.
void schedule_table_drop(Database& database, Table table);
// Counts the items of a table whose counters were lost with an unclean stop. What is written while it counts may be
// counted twice; DynamoDB's own counts are no more exact.
void schedule_count(Database& database, Table table);

// Called for every token used; now and then it schedules a sweep of the old ones.
void count_token(Database& database);

// Whatever the catalogue shows as unfinished.
void resume_unfinished(Database& database);

}  // namespace partita::table
