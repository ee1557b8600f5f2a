// The memory that a process holds at rest.
#pragma once

namespace partita::app {

// Gives back what only the start of the process needed: freed memory, and the pages of code and constants, which the
// system has in its cache of files and brings back, within microseconds, when they are needed again. Does nothing for
// code while a debugger watches, whose breakpoints are in these pages. Only on Linux. Callable from any thread.
void release_start_pages();

}  // namespace partita::app
