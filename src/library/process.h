// What the library does to the process around it: nothing that another part of the process could notice.
#pragma once

#include <csignal>

#include "library/partita.h"

namespace partita::library {

// Notes that this process has opened a database. Call it before. Callable from any thread.
void note_opened();
// Whether this is a child, by fork(), of a process that has opened a database: it has none of its threads. Cheap.
// Callable from any thread.
bool is_forked();

// While it exists, threads that the calling thread starts have all signals blocked that a process gets from outside, so
// that each of them goes to a thread of the program.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

// As partita_set_log().
void set_log(partita_log_function function, void* context);

}  // namespace partita::library
