// What the library does to the process around it: nothing that another part of the process could notice.
#pragma once

#include "library/partita.h"

namespace partita::library {

// Call it before a database is opened: notes that this process has one, and sets its threads apart from the program's.
// Callable from any thread.
void note_opened();
// Whether this is a child, by fork(), of a process that has opened a database: it has none of its threads. Cheap.
// Callable from any thread.
bool is_forked();

// As partita_set_log().
void set_log(partita_log_function function, void* context);

}  // namespace partita::library
