// Who goes first where more threads want to run than there are processors. Both are of the calling thread, need no
// rights, may be said again, and leave everything as it is where the system refuses.
#pragma once

namespace partita {

// For a thread that clients wait for: when it wakes it gets the processor at once from a thread with longer turns, in
// the middle of that one's turn (Linux 6.12 and newer; older ones let one that slept go first anyhow).
void raise_thread_priority();

// For a thread that nobody waits for: its turns are of the usual length, and rarer by so many steps of niceness than
// those of the process's first thread.
void lower_thread_priority(int niceness);

}  // namespace partita
