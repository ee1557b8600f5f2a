// The name of a thread in `top -H` and /proc.
#pragma once

#include <pthread.h>

namespace partita {

// Names the calling thread; at most 15 bytes.
inline void name_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

}  // namespace partita
