// What `top -H` and /proc call a thread.
#pragma once

#include <pthread.h>

namespace partita {

// The calling one; of at most 15 bytes.
inline void name_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

}  // namespace partita
