// Scheduling priority of threads when there are more runnable threads than processors. Both functions affect the
// calling thread, need no privileges, may be called again, and change nothing if the system refuses.
#pragma once

namespace partita {

// For a thread that clients wait for. On Linux it requests the shortest time slice, so that on waking it preempts
// threads with longer slices (Linux 6.12 and newer; older kernels favour threads that slept anyway). On macOS it is
// work that the user initiated.
void raise_thread_priority();

// For a thread that no client waits for. On Linux it keeps the usual time slice and raises the nice value by `niceness`
// above that of the process's first thread. On macOS it is a utility, however high `niceness` is.
void lower_thread_priority(int niceness);

}  // namespace partita
